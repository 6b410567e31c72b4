import type { NodeClient, RequestOf } from '../../api/node-client.ts';
import type { FeedbackAnswerView, FeedbackTaken } from '../../api/review/feedback-contract.ts';
import { NDJSON_LINE_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { randomIds } from '../../platform/ids.ts';
import { AnswerStream } from '../../protocols/afp/answer-stream.ts';
import { refused } from '../answer-of-call.ts';
import { type Answer, type Call, type CliCommand, flagText, UsageError } from '../command.ts';
import { openOrderNode } from '../order/order-node.ts';
import { secondsOf } from '../order/read-order-request.ts';
import { leave } from '../order/submit-order.ts';
import { printWarning } from '../output/print.ts';
import { textOrInput } from '../read-input.ts';

const EXAMPLE = 'baton afp --agent critic < request.json';

export const afpCommand: CliCommand = {
  usage: 'baton afp --agent NAME [--session ID] [--timeout TIME]',
  about: [
    'Asks an agent for feedback, as a tool layer of the Agent Feedback Protocol (AFP 1.2): a Request Object on standard input, the stream of',
    'step_start, text and step_finish on standard output. The agent may read the current folder, writes nothing, and reaches its own model',
    'only. The answer names the session; with --session the next request continues it. Exit: 0 success · 1 an error response · 2 not asked.',
  ].join(' '),
  examples: [EXAMPLE, 'baton afp --agent critic --session ses_01KA7ZC4Q9D7D3R1Q2W8V5N6MB < next.json'],
  ignores: ['key'],
  flags: {
    agent: { takes: 'value', shows: 'NAME', help: 'the agent that is asked (default: that of the session)' },
    session: { takes: 'value', shows: 'ID', help: 'continue this session' },
    timeout: {
      takes: 'value',
      shows: 'TIME',
      help: 'time for the answer: 90s, 15m (default: 15m, or the agent’s own)',
    },
  },
  async run(call) {
    const request = await requestOf(call);
    const node = await openOrderNode(call, process.cwd());
    try {
      const taken = await node.client.askFeedback(request);
      return await leave(node, isRefusal(taken) ? refused(taken) : streamOf(node.client, taken));
    } catch (error) {
      await node.close();
      throw error;
    }
  },
};

async function requestOf(call: Call): Promise<RequestOf<'askFeedback'>> {
  const [word] = call.words;
  if (word !== undefined) throw new UsageError(`afp: takes no argument ${JSON.stringify(word)}`, EXAMPLE);
  const agent = flagText(call, 'agent');
  const session = flagText(call, 'session');
  if (agent === undefined && session === undefined) throw new UsageError('afp: which agent is asked?', EXAMPLE);
  if (process.stdin.isTTY) throw new UsageError('afp: the Request Object is read from standard input', EXAMPLE);
  const timeout = flagText(call, 'timeout');
  const timeoutSeconds = timeout === undefined ? undefined : secondsOf(timeout);
  const text = await textOrInput('-', NDJSON_LINE_BYTES_MAX).catch(noTextIfUnreadable);
  return {
    text,
    workspace: process.cwd(),
    ...(agent !== undefined && { agent }),
    ...(session !== undefined && { session }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
  };
}

/** Bytes that are no text, or too many, are a request that cannot be parsed: it is answered, not refused (afp:iteration). */
function noTextIfUnreadable(error: unknown): string {
  if (!(error instanceof UsageError)) throw error;
  printWarning(error.message);
  return '';
}

/** AFP §2.2.1: the lines of the stream, each as soon as it is known. */
function streamOf(client: NodeClient, taken: FeedbackTaken): Answer<object> {
  let isSuccess = false;
  let refusal: Refusal | null = null;
  async function* lines(): AsyncGenerator<object> {
    const stream = new AnswerStream(taken.session, randomIds());
    for (const warning of taken.warnings) printWarning(warning);
    yield stream.start(Date.parse(taken.askedAt));
    const answer = taken.answer ?? (await awaited(client, taken));
    if (isRefusal(answer)) {
      refusal = answer;
      return;
    }
    isSuccess = answer.isSuccess;
    yield* stream.answer({
      ...answer,
      askedAtMs: Date.parse(answer.askedAt),
      answeredAtMs: Date.parse(answer.answeredAt),
    });
  }
  return {
    values: lines(),
    human: (line) => JSON.stringify(line),
    summary: () => (refusal === null ? null : `error: ${refusal.message}\ntry: ${refusal.hint}`),
    exitCode: () => (isSuccess ? 0 : 1),
    isWork: true,
  };
}

async function awaited(
  client: NodeClient,
  { session, iteration }: FeedbackTaken,
): Promise<FeedbackAnswerView | Refusal> {
  const answer = await client.awaitFeedback({ session, iteration });
  if (isRefusal(answer)) return answer;
  if (answer.answer === null) throw new Error(`${session} was not answered`);
  return answer.answer;
}
