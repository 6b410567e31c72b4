import type { Channel } from '../domain/task/channel.ts';
import type { ProtocolName } from '../protocols/codec.ts';
import { readMessage } from '../protocols/read-message.ts';
import type { FeedbackAsk } from '../reviews/asked-feedback.ts';
import { type AfpParts, askForFeedback, receiveAfp } from './receive-afp.ts';
import { type AofParts, receiveAof } from './receive-aof.ts';
import { type AopParts, receiveAop } from './receive-aop.ts';
import { type RuntimeParts, receiveRuntime } from './receive-runtime.ts';
import { receiveSaop } from './receive-saop.ts';
import { FOREIGN, type MessageAnswer, malformedAnswer, type ProtocolReceiver } from './received.ts';
import { wrapPayload } from './wrap-payload.ts';

export interface ReceiveParts extends AofParts, AopParts, AfpParts, RuntimeParts {
  /** JSON Schemas of the event types that a sender may use. */
  eventTypes(channel: Channel): Readonly<Record<string, unknown>>;
  /** A new UUID. */
  newId(): string;
  /** Called for each accepted message: it is a sign of life of its run. */
  beat(channel: Channel): void;
}

/** The one way in for messages of every protocol. */
export type Receive = (text: string, channel: Channel, how?: DeliveryTerms) => Promise<MessageAnswer>;

export interface DeliveryTerms {
  /** Under which the message takes effect once. */
  readonly key?: string | undefined;
  /** The agent, session and folder that a request for feedback is for. */
  readonly asks?: Omit<FeedbackAsk, 'text'>;
}

export function makeReceive(parts: ReceiveParts): Receive {
  const receivers: Readonly<Record<ProtocolName, ProtocolReceiver>> = {
    aop: receiveAop(parts),
    aof: receiveAof(parts),
    saop: receiveSaop(parts),
    afp: receiveAfp,
    runtime: receiveRuntime(parts),
  };
  return async (sent, channel, { key, asks } = {}) => {
    if (asks) return await askForFeedback(parts, { ...asks, text: sent });
    const text = wrapPayload(sent, channel, { read: parts.ledger.read, newId: parts.newId });
    const delivery = { text, channel, key };
    // Read when a SAOP event needs them: most messages are none.
    const hints = {
      get eventTypes() {
        return parts.eventTypes(channel);
      },
    };
    const { verdict, protocol } = await readMessage(text, hints);
    if (verdict.verdict === 'foreign') return FOREIGN;
    if (verdict.verdict === 'malformed') {
      // A text that begins like JSON and is none is logged like an AOF message (aof:detection).
      const owner = protocol ?? (verdict.code === 'invalid_json' ? 'aof' : null);
      return (owner && (await receivers[owner].reject?.(verdict, delivery))) ?? malformedAnswer(verdict);
    }
    if (protocol === null) throw new Error('an accepted message has a protocol');
    const answer = await receivers[protocol].accept(verdict, delivery);
    if (answer.verdict === 'accepted') parts.beat(channel);
    return { ...answer, warnings: verdict.warnings };
  };
}
