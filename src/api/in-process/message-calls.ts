import { isRefusal } from '../../domain/refusal.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { logUnheardMessage } from '../../operations/log-unheard-message.ts';
import { type ReceivedMessage, receiveMessage } from '../../operations/receive-message.ts';
import type { AofEnvelope } from '../../protocols/aof/schema/messages.ts';
import type { Malformed } from '../../protocols/codec.ts';
import { AOF_PREFIX } from '../../protocols/detect.ts';
import { isJsonObject, type JsonObject, readJson } from '../../protocols/json-text.ts';
import { type ReadMessage, readMessage } from '../../protocols/read-message.ts';
import type { CallOptions, SendAnswer } from '../contract.ts';
import { viewEvent, viewTask } from '../views.ts';

type SendOptions = CallOptions & { readonly run?: string | null };

const NOTHING = { errors: [], events: [], task: null } as const;

/** Messages of any protocol, handed in whole. */
export class MessageCalls {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async send(text: string, options: SendOptions = {}): Promise<SendAnswer> {
    const read = await readMessage(text);
    const { verdict } = read;
    if (verdict.verdict === 'foreign') return { verdict: 'foreign', code: null, ...NOTHING };
    if (verdict.verdict === 'malformed') return await this.#unheard(text, read, verdict);
    if (read.protocol !== 'aof') return notServed(read);
    const { message, warnings } = verdict;
    return await this.#receive({ message: message as AofEnvelope, warnings, channelRun: options.run ?? null }, options);
  }

  async #receive(received: ReceivedMessage, { key }: SendOptions): Promise<SendAnswer> {
    const answer = await (key === undefined
      ? this.#ledger.submit(receiveMessage, received)
      : this.#ledger.submitOnce(key, receiveMessage, received));
    if (isRefusal(answer)) {
      return {
        verdict: 'refused',
        code: answer.code,
        ...NOTHING,
        errors: [{ path: answer.path, message: answer.message }],
      };
    }
    const { verdict, code, events, task } = answer;
    return { verdict, code, errors: [], events: events.map(viewEvent), task: task && viewTask(task) };
  }

  /** AOF logs what it could not read; of the other protocols nothing is kept. */
  async #unheard(text: string, { protocol }: ReadMessage, { code, errors }: Malformed): Promise<SendAnswer> {
    const malformed = { verdict: 'malformed', code, ...NOTHING, errors } as const;
    if (protocol !== 'aof') return malformed;
    const answer = await this.#ledger.submit(logUnheardMessage, { ...readable(text), code, errors });
    return isRefusal(answer) ? malformed : { ...malformed, events: answer.events.map(viewEvent) };
  }
}

function notServed({ protocol, verdict }: ReadMessage): SendAnswer {
  const kind = verdict.verdict === 'accepted' ? verdict.kind : '';
  const message = `${protocol} ${kind} is a good message, but this node does not take it yet`;
  return { verdict: 'refused', code: 'not_served', ...NOTHING, errors: [{ path: '', message }] };
}

/** What a message that is not valid still tells of itself. */
function readable(text: string): { taskId: string | null; fromAgent: string | null; type: string | null } {
  const reading = readJson(text.startsWith(AOF_PREFIX) ? text.slice(AOF_PREFIX.length) : text);
  const value = isJsonObject(reading.value) ? reading.value : {};
  return { taskId: textAt(value, 'taskId'), fromAgent: textAt(value, 'fromAgent'), type: textAt(value, 'type') };
}

function textAt(value: JsonObject, key: string): string | null {
  const found = value[key];
  return typeof found === 'string' ? found.slice(0, 128) : null;
}
