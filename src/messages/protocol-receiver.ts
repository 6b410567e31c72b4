import type { Channel } from '../domain/channel.ts';
import type { Accepted, Malformed } from '../protocols/codec.ts';
import type { Received } from './received.ts';

/** A message, its sender, and the key under which it takes effect once. */
export interface Delivery {
  readonly text: string;
  readonly channel: Channel;
  readonly key?: string | undefined;
}

/** Applies the messages of one protocol. It decides by the message and its sender, never by the way it came. */
export interface ProtocolReceiver {
  accept(verdict: Accepted<unknown>, delivery: Delivery): Promise<Received>;
  /** Absent where nothing is recorded of a message that cannot be decoded. */
  reject?(verdict: Malformed, delivery: Delivery): Promise<Received>;
}
