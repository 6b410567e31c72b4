import { isRefusal } from '../../domain/refusal.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { logUnheardMessage } from '../../operations/log-unheard-message.ts';
import { type ReceivedMessage, receiveMessage } from '../../operations/receive-message.ts';
import type { AofEnvelope } from '../../protocols/aof/schema/messages.ts';
import type { Malformed } from '../../protocols/codec.ts';
import { findMissingSummary } from '../../tree/find-missing-summary.ts';
import type { SendAnswer } from '../contract.ts';
import { viewEvent, viewTask } from '../views.ts';
import { readable } from './readable-parts.ts';
import { hintOf, malformedAnswer, refusedAnswer, type SendOptions } from './send-answer.ts';
import { submit } from './submit.ts';

/** AOF/1 messages, handed in whole. */
export class AofCalls {
  readonly #ledger: Ledger;
  readonly #dataFolder: string;

  constructor(ledger: Ledger, dataFolder: string) {
    this.#ledger = ledger;
    this.#dataFolder = dataFolder;
  }

  async receive(received: ReceivedMessage, options: SendOptions): Promise<SendAnswer> {
    const missingSummary = this.#missingSummaryOf(received.message);
    // The state of the disk is no part of the request: the same message again is the same request.
    const command: typeof receiveMessage = (tx, facts) => receiveMessage(tx, { ...facts, missingSummary });
    const answer = await submit(this.#ledger, { command, facts: received }, options);
    if (isRefusal(answer)) return refusedAnswer(answer);
    const { verdict, code, events, task } = answer;
    return {
      verdict,
      code,
      errors: code === null ? [] : [{ path: '', message: sentenceOf(code, received.message) }],
      hint: hintOf(code),
      events: events.map(viewEvent),
      task: task && viewTask(task),
    };
  }

  #missingSummaryOf(message: AofEnvelope): string | null {
    if (message.type !== 'completion.report') return null;
    const { taskId, payload } = message;
    return findMissingSummary(this.#ledger.read, this.#dataFolder, { taskId, summaryRef: payload.summaryRef });
  }

  /** What could not be read is logged; of an agent that is known by its run, as its own. */
  async unheard(text: string, malformed: Malformed, { holder }: SendOptions): Promise<SendAnswer> {
    const { code, errors } = malformed;
    const sender = holder ? { taskId: holder.taskId, fromAgent: holder.agent } : {};
    const answer = await this.#ledger.submit(logUnheardMessage, { ...readable(text), ...sender, code, errors });
    const told = malformedAnswer(malformed);
    return isRefusal(answer) ? told : { ...told, events: answer.events.map(viewEvent) };
  }
}

/** Why the router did not hear a message, for people. */
function sentenceOf(code: string, { taskId, fromAgent, type }: AofEnvelope): string {
  const sentences: Readonly<Record<string, string>> = {
    task_not_found: `there is no task ${taskId}`,
    parent_not_found: `the parent of ${taskId} does not exist`,
    nested_delegation: `${taskId} would be handed down a second time`,
    unauthorized_agent: `${taskId} does not hear ${fromAgent}: another agent holds it or is to do it`,
    stale_run: `the run this was sent for no longer holds ${taskId}`,
    not_running: `no run of ${taskId} is live`,
    project_mismatch: `${taskId} is of another project`,
  };
  return sentences[code] ?? `the ${type} for ${taskId} was not taken: ${code}`;
}
