import { isRefusal, REFUSALS } from '../../domain/refusal.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { logUnheardMessage } from '../../operations/log-unheard-message.ts';
import { type ReceivedMessage, receiveMessage } from '../../operations/receive-message.ts';
import type { AofEnvelope } from '../../protocols/aof/schema/messages.ts';
import type { Malformed } from '../../protocols/codec.ts';
import { type ReadMessage, readMessage } from '../../protocols/read-message.ts';
import { findMissingSummary } from '../../tree/find-missing-summary.ts';
import type { NodeClient, SendAnswer } from '../contract.ts';
import { viewEvent, viewTask } from '../views.ts';
import { readable } from './readable-parts.ts';
import { submit } from './submit.ts';

type SendOptions = NonNullable<Parameters<NodeClient['send']>[1]>;

const NOTHING = { errors: [], hint: null, events: [], task: null } as const;
const FOREIGN_HINT = 'baton check FILE tells what it is; baton schema lists the messages there are';

/** Messages of any protocol, handed in whole. */
export class MessageCalls {
  readonly #ledger: Ledger;
  readonly #dataFolder: string;

  constructor(ledger: Ledger, dataFolder: string) {
    this.#ledger = ledger;
    this.#dataFolder = dataFolder;
  }

  async send(text: string, options: SendOptions = {}): Promise<SendAnswer> {
    const read = await readMessage(text);
    const { verdict } = read;
    if (verdict.verdict === 'foreign') return { verdict: 'foreign', code: null, ...NOTHING, hint: FOREIGN_HINT };
    if (verdict.verdict === 'malformed') return await this.#unheard(text, read, verdict);
    if (read.protocol !== 'aof') return notServed(read);
    const { message, warnings } = verdict;
    return await this.#receive({ message: message as AofEnvelope, warnings, channelRun: options.run ?? null }, options);
  }

  async #receive(received: ReceivedMessage, options: SendOptions): Promise<SendAnswer> {
    // What the disk says today is no part of the request: the same message again is the same request.
    const command: typeof receiveMessage = (tx, facts) =>
      receiveMessage(tx, { ...facts, missingSummary: findMissingSummary(tx, this.#dataFolder, facts.message) });
    const answer = await submit(this.#ledger, { command, facts: received }, options);
    if (isRefusal(answer)) {
      const errors = [{ path: answer.path, message: answer.message }];
      return { verdict: 'refused', code: answer.code, ...NOTHING, errors, hint: answer.hint };
    }
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

  /** AOF logs what it could not read, and what reads like JSON and is none (D-A2); of other protocols nothing is kept. */
  async #unheard(text: string, { protocol }: ReadMessage, { code, errors }: Malformed): Promise<SendAnswer> {
    const malformed = { verdict: 'malformed', code, ...NOTHING, errors, hint: hintOf(code) } as const;
    if (protocol !== 'aof' && (protocol !== null || code !== 'invalid_json')) return malformed;
    const answer = await this.#ledger.submit(logUnheardMessage, { ...readable(text), code, errors });
    return isRefusal(answer) ? malformed : { ...malformed, events: answer.events.map(viewEvent) };
  }
}

function hintOf(code: string | null): string | null {
  return code !== null && Object.hasOwn(REFUSALS, code) ? REFUSALS[code as keyof typeof REFUSALS].hint : null;
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

function notServed({ protocol, verdict }: ReadMessage): SendAnswer {
  const kind = verdict.verdict === 'accepted' ? verdict.kind : '';
  const message = `${protocol} ${kind} is a good message, but this node does not take it yet`;
  const { hint } = REFUSALS.not_served;
  return { verdict: 'refused', code: 'not_served', ...NOTHING, errors: [{ path: '', message }], hint };
}
