import { type ConsumerMessages, DeliverPolicy, type JsMsg } from '@nats-io/jetstream';
import type { Timer } from '../../platform/timer.ts';
import { Pump } from '../pump.ts';
import { type Arrival, type Subscription, TransportFault } from '../transport.ts';
import { frameOf } from './frame-message.ts';
import { isMissing, type NatsLink, streamInfo } from './nats-link.ts';

const BUFFERED_MAX = 1_024;
const ARRIVALS_PER_CALL_MAX = 256;
const RETRY_MS = 500;

export interface OutboxReaderParts {
  readonly source: string;
  readonly stream: string;
  readonly subject: string;
  readonly timer: Timer;
  /** Null while there is no connection. */
  link(): NatsLink | null;
  take(arrivals: readonly Arrival[]): Promise<void>;
}

/**
 * Reads the frames of one outbox. The place in the stream is compared with the stream at every connection: a stream that was made anew,
 * or that ends before the place, is read from its beginning, and the taker recognizes what it has.
 */
export class OutboxReader implements Subscription {
  readonly #parts: OutboxReaderParts;
  readonly #pump: Pump;
  #buffer: { readonly message: JsMsg; readonly created: string }[] = [];
  #messages: ConsumerMessages | null = null;
  /** The number in the stream of the last message that was taken. */
  #taken = 0;
  #position: string | null;
  #isClosed = false;
  #session = 0;
  /** How often the stream was opened. */
  #reading = 0;
  readonly #waiting = new Set<() => void>();

  constructor(parts: OutboxReaderParts, after: string | null) {
    this.#parts = parts;
    this.#position = after;
    this.#pump = new Pump(
      parts.source,
      () => this.#takeBuffered(),
      // No other message may follow to ask for those in the buffer.
      { gather: () => parts.timer.breathe(), onFailed: () => parts.timer.after(RETRY_MS, () => this.#pump.run()) },
    );
    this.restart();
  }

  /** Begins to read again, after the connection was lost or the stream was replaced. */
  restart(): void {
    this.#session++;
    this.#messages?.stop();
    this.#messages = null;
    void this.#read(this.#session);
  }

  async drained(): Promise<void> {
    const link = this.#parts.link();
    if (!link) throw new TransportFault('drained', 'there is no connection to the broker');
    const { stream, subject } = this.#parts;
    try {
      let reading: number;
      do {
        reading = this.#reading;
        await this.#until(await lastFor(link, stream, subject), reading);
      } while (reading !== this.#reading && !this.#isClosed);
    } catch (error) {
      throw new TransportFault('drained', (error as Error).message, { cause: error });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#session++;
    this.#messages?.stop();
    await this.#pump.close();
    this.#wake();
  }

  /** Waits until a message of the stream has been taken, or the stream is read anew: it may be another one. */
  async #until(number: number, reading: number): Promise<void> {
    while (this.#taken < number && reading === this.#reading && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #wake(): void {
    for (const call of this.#waiting) call();
    this.#waiting.clear();
  }

  async #read(session: number): Promise<void> {
    while (session === this.#session && !this.#isClosed) {
      try {
        await this.#consume(session);
      } catch {
        // The connection is gone, or the stream: the next turn looks again.
      }
      if (session === this.#session && !this.#isClosed) await this.#parts.timer.pause(RETRY_MS);
    }
  }

  async #consume(session: number): Promise<void> {
    const { stream, subject } = this.#parts;
    const link = this.#parts.link();
    const info = link && (await streamInfo(link, stream));
    if (!link || !info || session !== this.#session) return;
    const { created } = info;
    const from = placeIn(this.#position, created, info.state.last_seq);
    this.#taken = from;
    this.#reading++;
    this.#wake();
    const consumer = await link.js.consumers.get(stream, {
      filter_subjects: subject,
      ...(from === 0
        ? { deliver_policy: DeliverPolicy.All }
        : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from + 1 }),
    });
    const messages = await consumer.consume({ max_messages: BUFFERED_MAX, abort_on_missing_resource: true });
    if (session !== this.#session) {
      messages.stop();
      return;
    }
    this.#messages = messages;
    for await (const message of messages) {
      if (session !== this.#session) return;
      this.#buffer.push({ message, created });
      this.#pump.run();
      if (this.#buffer.length >= BUFFERED_MAX) await this.#pump.idle();
    }
  }

  async #takeBuffered(): Promise<boolean> {
    const found = this.#buffer.slice(0, ARRIVALS_PER_CALL_MAX);
    const last = found.at(-1);
    if (!last) return false;
    const arrivals = found.map(({ message, created }) => ({
      frame: frameOf(message),
      position: `${created}#${message.seq}`,
    }));
    await this.#parts.take(arrivals);
    this.#buffer = this.#buffer.slice(found.length);
    this.#position = arrivals.at(-1)?.position ?? this.#position;
    this.#taken = last.message.seq;
    this.#wake();
    return true;
  }
}

/** The number of the last message that was read; 0 if the position is of another stream, or behind the end of this one. */
function placeIn(position: string | null, created: string, end: number): number {
  const [stream, number] = (position ?? '').split('#');
  return stream === created && Number(number) <= end ? Number(number) : 0;
}

async function lastFor({ jsm }: NatsLink, stream: string, subject: string): Promise<number> {
  try {
    // Asked for by its subject, which the server can allow to this node alone.
    return (await jsm.direct.getMessage(stream, { last_by_subj: subject }))?.seq ?? 0;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
