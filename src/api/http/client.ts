import { resolve } from 'node:path';
import { HTTP_BODY_BYTES_MAX } from '../../domain/limits.ts';
import { isRefusal, REFUSALS, type Refusal } from '../../domain/refusal.ts';
import { AOF_PREFIX } from '../../protocols/detect.ts';
import { readMessage } from '../../protocols/read-message.ts';
import { isLargerThan } from '../../protocols/text-size.ts';
import type { EventView, NodeClient, RunRequest, SendAnswer } from '../contract.ts';
import type { CallOptions } from '../task-view.ts';
import { callNode, type NodeCall } from './call-node.ts';
import { orderCallsOver } from './order-client.ts';
import type { NodeAddress } from './request-node.ts';

const NAMED_TASKS_MAX = 500;

type Call = (call: NodeCall) => Promise<object>;
type TaskAnswer = ReturnType<NodeClient['moveTask']>;

/** A node in another process. It holds no connection of its own: close() only parts from it. */
export function httpClient(address: NodeAddress): NodeClient {
  const call: Call = (given) => callNode(address, given);
  return {
    ...taskCalls(call),
    ...runCalls(call),
    ...lookCalls(call),
    ...upkeepCalls(call),
    ...orderCallsOver(call, taskPath),
    send: sender(call),
  };
}

function taskCalls(call: Call) {
  const change = (path: string, body: unknown, options?: CallOptions) =>
    call({ method: 'POST', path, body, key: options?.key }) as TaskAnswer;
  return {
    createTask: (request, options) => change('/v1/tasks', request, options),
    editTask: (reference, body, options) =>
      call({ method: 'PATCH', path: taskPath(reference), body, key: options?.key }) as TaskAnswer,
    moveTask: (reference, to, options) =>
      change(`${taskPath(reference)}/move`, { to, reason: options?.reason }, options),
    cancelTask: (reference, options) => change(`${taskPath(reference)}/cancel`, { reason: options?.reason }, options),
    retryTask: (reference, options) => change(`${taskPath(reference)}/retry`, {}, options),
    dependTask: (reference, on, options) => change(`${taskPath(reference)}/depend`, { on }, options),
  } satisfies Partial<NodeClient>;
}

function runCalls(call: Call) {
  const say = (verb: string, { task, agent, run }: RunRequest, options?: CallOptions) => {
    const path = `${taskPath(task)}/${verb}`;
    return call({ method: 'POST', path, body: { agent }, run, key: options?.key }) as ReturnType<
      NodeClient['claimTask']
    >;
  };
  return {
    claimTask: (request, options) => say('claim', request, options),
    beatTask: (request) => say('beat', request),
    endTask: (request, options) => say('end', request, options),
  } satisfies Partial<NodeClient>;
}

function lookCalls(call: Call) {
  const look = (path: string, query: object = {}) =>
    call({ method: 'GET', path, query: query as NonNullable<NodeCall['query']> });
  return {
    listTasks: (request) => look('/v1/tasks', request) as ReturnType<NodeClient['listTasks']>,
    showTask: (reference) => look(taskPath(reference)) as ReturnType<NodeClient['showTask']>,
    status: () => look('/v1/status') as ReturnType<NodeClient['status']>,
    events: async (request) => {
      const answer = (await look('/v1/events', request)) as { readonly events: readonly EventView[] } | Refusal;
      return isRefusal(answer) ? answer : answer.events;
    },
  } satisfies Partial<NodeClient>;
}

function upkeepCalls(call: Call) {
  const work = (path: string, body: unknown) => call({ method: 'POST', path, body, isLong: true });
  return {
    rebuild: () => work('/v1/rebuild', {}) as ReturnType<NodeClient['rebuild']>,
    /** The node runs in another folder: it is told the whole path. */
    backup: async (file, options) => {
      const answer = (await work('/v1/backup', { file: resolve(file), ...options })) as Awaited<
        ReturnType<NodeClient['backup']>
      >;
      return isRefusal(answer) ? answer : { ...answer, file };
    },
    treeSettled: async (tasks) => {
      // More names than an address holds: then until all is shown.
      const query = tasks && tasks.length <= NAMED_TASKS_MAX ? { tasks: tasks.join(',') } : {};
      let isSettled = tasks?.length === 0;
      while (!isSettled) {
        const answer = await call({ method: 'GET', path: '/v1/tree/settled', query, isLong: true });
        isSettled = (answer as { readonly settled: boolean }).settled;
      }
    },
    close: async () => {},
  } satisfies Partial<NodeClient>;
}

function sender(call: Call): NodeClient['send'] {
  return async (text, options = {}) => {
    // The node would close the door before it has read so much.
    if (isLargerThan(text, HTTP_BODY_BYTES_MAX)) return await answerTooLarge(text);
    const contentType = text.startsWith(AOF_PREFIX) ? 'text/plain' : 'application/json';
    const answer = await call({ method: 'POST', path: '/v1/messages', text, contentType, ...options });
    return isRefusal(answer) ? answerRefusal(answer) : (answer as SendAnswer);
  };
}

async function answerTooLarge(text: string): Promise<SendAnswer> {
  const { verdict } = await readMessage(text);
  if (verdict.verdict !== 'malformed') throw new Error('a message over the limit was not refused');
  const { code, errors } = verdict;
  return { verdict: 'malformed', code, errors, hint: REFUSALS.payload_too_large.hint, events: [], task: null };
}

function answerRefusal({ code, path, message, hint }: Refusal): SendAnswer {
  return { verdict: 'refused', code, errors: [{ path, message }], hint, events: [], task: null };
}

/** A path has no place for an empty part nor for dots alone; a space before them means the same to a node. */
function taskPath(reference: string): string {
  const part = /^\.{0,2}$/.test(reference) ? ` ${reference}` : reference;
  return `/v1/tasks/${encodeURIComponent(part)}`;
}
