import type { Channel } from '../../domain/channel.ts';
import { refuse } from '../../domain/refusal.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { AofEnvelope } from '../../protocols/aof/schema/messages.ts';
import type { AopMessage } from '../../protocols/aop/kinds.ts';
import type { Accepted } from '../../protocols/codec.ts';
import { type ReadMessage, readMessage } from '../../protocols/read-message.ts';
import type { SendAnswer } from '../contract.ts';
import { AofCalls } from './aof-calls.ts';
import type { AopCalls } from './aop-calls.ts';
import { FOREIGN, malformedAnswer, refusedAnswer, type SendOptions } from './send-answer.ts';

export interface MessageParts {
  readonly ledger: Ledger;
  readonly dataFolder: string;
  readonly aop: AopCalls;
  /** A run gave a sign of life by another way than its output. */
  heard(runId: string): void;
}

/** Messages of any protocol, handed in whole. */
export class MessageCalls {
  readonly #parts: MessageParts;
  readonly #aof: AofCalls;

  constructor(parts: MessageParts) {
    this.#parts = parts;
    this.#aof = new AofCalls(parts.ledger, parts.dataFolder);
  }

  async send(text: string, channel: Channel, key?: string): Promise<SendAnswer> {
    const options = optionsOf(channel, key);
    const read = await readMessage(text);
    const { verdict, protocol } = read;
    if (verdict.verdict === 'foreign') return FOREIGN;
    if (verdict.verdict === 'malformed') {
      // AOF logs what it could not read, and what reads like JSON and is none (D-A2); of other protocols nothing is kept.
      const isLogged = protocol === 'aof' || (protocol === null && verdict.code === 'invalid_json');
      return isLogged ? await this.#aof.unheard(text, verdict, options) : malformedAnswer(verdict);
    }
    if (protocol === 'aof') return await this.#sendAof(verdict as Accepted<AofEnvelope>, options);
    if (protocol === 'aop') return await this.#parts.aop.take(verdict as Accepted<AopMessage>, { text, options });
    return notServed(read, verdict.kind);
  }

  async #sendAof({ message, warnings }: Accepted<AofEnvelope>, options: SendOptions): Promise<SendAnswer> {
    const { run = null, holder = null } = options;
    const received = { message, warnings, channelRun: run, ...(holder && { holder }) };
    const answer = await this.#aof.receive(received, options);
    if (answer.verdict === 'accepted' && run !== null) this.#parts.heard(run);
    return answer;
  }
}

function optionsOf(channel: Channel, key?: string): SendOptions {
  const sender =
    channel.kind === 'run' ? { run: channel.holder.runId, holder: channel.holder } : { run: channel.run, holder: null };
  return { ...sender, ...(key !== undefined && { key }) };
}

function notServed({ protocol }: ReadMessage, kind: string): SendAnswer {
  return refusedAnswer(
    refuse('not_served', `${protocol} ${kind} is a good message, but this node does not take it yet`),
  );
}
