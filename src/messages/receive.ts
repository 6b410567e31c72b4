import type { Channel } from '../domain/channel.ts';
import { refuse } from '../domain/refusal.ts';
import type { ProtocolName } from '../protocols/codec.ts';
import { readMessage } from '../protocols/read-message.ts';
import { type AofParts, receiveAof } from './receive-aof.ts';
import { type AopParts, receiveAop } from './receive-aop.ts';
import { receiveSaop } from './receive-saop.ts';
import { FOREIGN, malformed, type ProtocolReceiver, type Received, refused } from './received.ts';

export interface ReceiveParts extends AofParts, AopParts {
  /** JSON Schemas of the event types that the operator registered. */
  eventTypes(): Readonly<Record<string, unknown>>;
  /** Called for each accepted message: it is a sign of life of its run. */
  beat(channel: Channel): void;
}

/** The one way in for messages of every protocol. */
export type Receive = (text: string, channel: Channel, key?: string) => Promise<Received>;

export function makeReceive(parts: ReceiveParts): Receive {
  const receivers: Readonly<Record<ProtocolName, ProtocolReceiver>> = {
    aop: receiveAop(parts),
    aof: receiveAof(parts),
    saop: receiveSaop(parts),
    afp: notServed('afp'),
    runtime: notServed('runtime'),
  };
  return async (text, channel, key) => {
    const delivery = { text, channel, key };
    const { verdict, protocol } = await readMessage(text, { eventTypes: parts.eventTypes() });
    if (verdict.verdict === 'foreign') return FOREIGN;
    if (verdict.verdict === 'malformed') {
      // A text that begins like JSON and is none is logged like an AOF message (aof:detection).
      const owner = protocol ?? (verdict.code === 'invalid_json' ? 'aof' : null);
      return (owner && (await receivers[owner].reject?.(verdict, delivery))) ?? malformed(verdict);
    }
    if (protocol === null) throw new Error('an accepted message has a protocol');
    const answer = await receivers[protocol].accept(verdict, delivery);
    if (answer.verdict === 'accepted') parts.beat(channel);
    return answer;
  };
}

function notServed(protocol: ProtocolName): ProtocolReceiver {
  return {
    accept: async ({ kind }) =>
      refused(refuse('not_served', `${protocol} ${kind} is a valid message, but this node does not serve it yet`)),
  };
}
