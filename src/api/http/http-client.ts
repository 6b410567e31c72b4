import { HTTP_BODY_BYTES_MAX } from '../../domain/limits.ts';
import { isRefusal, REFUSALS } from '../../domain/refusal.ts';
import { AOF_PREFIX } from '../../protocols/detect.ts';
import { readMessage } from '../../protocols/read-message.ts';
import { isLargerThan } from '../../protocols/text-size.ts';
import { ANSWERED_NAMES, type AnsweredName, CALLS, specOf } from '../calls.ts';
import type { SendAnswer } from '../contract.ts';
import { refusedMessage, unreadableMessage } from '../message-answer.ts';
import { type AnyCall, callsMadeBy, type NodeClient } from '../node-client.ts';
import { callNode, type HttpCall, type NodeAddress } from './call-node.ts';

/** More names than fit into an address. */
const NAMED_TASKS_MAX = 500;

type Fields = Readonly<Record<string, unknown>>;

/** A node in another process. It holds no connection of its own, so close() has nothing to do. */
export function httpClient(address: NodeAddress): NodeClient {
  const makeCall = (name: AnsweredName): AnyCall => {
    const { pending } = specOf(name);
    const waiting = pending && JSON.stringify(pending);
    return async (request = {}, options = {}) => {
      for (;;) {
        const answer = await callNode(address, nodeCall(name, request as Fields, options.key));
        if (waiting === undefined || JSON.stringify(answer) !== waiting) return answer;
      }
    };
  };
  const calls = callsMadeBy(ANSWERED_NAMES, makeCall);
  return {
    ...calls,
    send: sendTo(address),
    treeSettled: async ({ tasks } = {}) => {
      if (tasks?.length === 0) return { settled: true };
      return await calls.treeSettled(tasks && tasks.length <= NAMED_TASKS_MAX ? { tasks } : {});
    },
    // Behind an import of its own: most commands follow nothing.
    follow: async (request, signal) => (await import('./follow-events.ts')).followEvents(address, request, signal),
    async *batch(lines) {
      yield* (await import('./send-batch.ts')).sendBatch(address, lines);
    },
    close: async () => {},
  };
}

/** Puts the fields of a request where its call has them: path, header, query or body. */
function nodeCall(name: AnsweredName, request: Fields, key: string | undefined): HttpCall {
  const { method, carriesRun, isLong = false, ...spec } = specOf(name);
  const rest: Record<string, unknown> = { ...request };
  const path = spec.path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    delete rest[field];
    return pathPart(String(request[field]));
  });
  if (carriesRun) delete rest.run;
  return {
    method,
    path,
    isLong,
    key,
    ...(carriesRun && { run: request.run as string | null | undefined }),
    ...(method === 'GET' ? { query: rest as NonNullable<HttpCall['query']> } : { body: rest }),
  };
}

/** A path cannot have an empty part or one of dots only. The space is trimmed by the node. */
function pathPart(reference: string): string {
  return encodeURIComponent(/^\.{0,2}$/.test(reference) ? ` ${reference}` : reference);
}

function sendTo(address: NodeAddress): NodeClient['send'] {
  const { method, path } = CALLS.send;
  return async ({ text, run }, { key } = {}) => {
    // The node would close the connection before it has read so much.
    if (isLargerThan(text, HTTP_BODY_BYTES_MAX)) return await answerTooLarge(text);
    const contentType = text.startsWith(AOF_PREFIX) ? 'text/plain' : 'application/json';
    const answer = await callNode(address, { method, path, text, contentType, run, key });
    return isRefusal(answer) ? refusedMessage(answer) : (answer as SendAnswer);
  };
}

async function answerTooLarge(text: string): Promise<SendAnswer> {
  const { verdict } = await readMessage(text);
  if (verdict.verdict !== 'malformed') throw new Error('a message over the limit was not refused');
  const { code, errors } = verdict;
  return unreadableMessage({ code, errors, hint: REFUSALS.payload_too_large.hint });
}
