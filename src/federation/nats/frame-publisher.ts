import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import type { Timer } from '../../platform/timer.ts';
import { inboxOf } from './server-permissions.ts';

const ANSWERS_MS_MAX = 5_000;

export interface PublishedMessage {
  readonly subject: string;
  readonly data: string;
  readonly headers: MsgHdrs;
}

/** Messages that were published together. */
interface Batch {
  left: number;
  failure: Error | null;
  end(failure: Error | null): void;
}

/**
 * Publishes messages to JetStream and awaits the answer to each. One subscription receives all answers of a connection, and one
 * timer watches a batch: the client's own publish makes a request with a timer and an error of its own for each message.
 */
export class FramePublisher {
  readonly #connection: NatsConnection;
  readonly #timer: Timer;
  readonly #inbox: string;
  readonly #batches = new Map<string, Batch>();
  #made = 0;

  constructor(connection: NatsConnection, timer: Timer, node: string) {
    this.#connection = connection;
    this.#timer = timer;
    this.#inbox = createInbox(inboxOf(node));
    connection.subscribe(`${this.#inbox}.*`, { callback: (_, message) => this.#take(message) });
  }

  /** Resolves when the store has all of them. Rejects only after every answer, or the end of the wait. */
  async publish(messages: readonly PublishedMessage[]): Promise<void> {
    const name = String(this.#made++);
    const reply = `${this.#inbox}.${name}`;
    const ended = Promise.withResolvers<void>();
    const stopWaiting = this.#timer.after(ANSWERS_MS_MAX, () => batch.end(new Error('the broker does not answer')));
    const batch: Batch = {
      left: messages.length,
      failure: null,
      end: (failure) => {
        this.#batches.delete(name);
        stopWaiting();
        if (failure) ended.reject(failure);
        else ended.resolve();
      },
    };
    this.#batches.set(name, batch);
    try {
      for (const { subject, data, headers } of messages) this.#connection.publish(subject, data, { headers, reply });
      if (messages.length === 0) batch.end(null);
    } catch (error) {
      batch.end(error as Error);
    }
    await ended.promise;
  }

  #take(message: Msg): void {
    const batch = this.#batches.get(message.subject.slice(this.#inbox.length + 1));
    if (!batch) return;
    batch.failure ??= failureOf(message);
    if (--batch.left === 0) batch.end(batch.failure);
  }
}

/** Null if the store has the message. Without JetStream nobody answers, and the server says so with a status. */
function failureOf(message: Msg): Error | null {
  if (message.data.length === 0) return new Error('JetStream is not enabled, or has no stream for this subject');
  const { error } = message.json<{ readonly error?: { readonly description?: string } }>();
  return error ? new Error(error.description ?? 'the broker refused a message') : null;
}
