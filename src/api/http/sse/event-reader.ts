import type { ServerResponse } from 'node:http';
import {
  SSE_BUFFERED_BYTES_MAX,
  SSE_EVENTS_PER_PAGE_MAX,
  SSE_REPLAY_BUFFERED_BYTES_MAX,
  SSE_RETRY_MS,
} from '../../../domain/http-limits.ts';
import type { LedgerEvent } from '../../../domain/trace/ledger-event.ts';
import type { Timer } from '../../../platform/timer.ts';
import type { EventFilter } from '../../events/event-filter.ts';
import type { StreamStart } from '../../events/stream-start.ts';
import type { EventFeed, FeedReader } from './event-feed.ts';
import { type FrameBatch, frameEvent, frameStaleCursor } from './event-frame.ts';

/** Sends events to a response from its start on, until either side ends it. */
export function streamEvents(response: ServerResponse, start: StreamStart, parts: StreamParts): void {
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  response.setHeader('connection', 'close');
  // The stream ends with its connection: without chunks each write is one write of the socket.
  response.removeHeader('transfer-encoding');
  if (start.kind === 'stale') {
    response.end(frameStaleCursor(start));
    return;
  }
  response.write(`retry: ${SSE_RETRY_MS}\n: after ${start.after}\n\n`);
  new EventReader({ response, ...parts, ...start }).start();
}

type StreamParts = Pick<ReaderParts, 'feed' | 'timer' | 'onFault'>;

interface ReaderParts {
  readonly response: ServerResponse;
  readonly feed: EventFeed;
  readonly timer: Timer;
  /** The seq of the last event that the client has. */
  readonly after: number;
  readonly filter: EventFilter | null;
  /** A short read of the ledger: the events above a seq, in order; empty only where there are none. */
  readPage(after: number, limit: number): readonly LedgerEvent[];
  onFault(error: unknown): void;
}

const BEAT = ': beat\n\n';

/**
 * The stream to one client. It first replays the ledger page by page, as fast as the client reads, and switches to the
 * feed in the turn of the event loop in which the ledger has no more: no event is lost or sent twice. From then on at most
 * 1 MiB is buffered; a client that lets more pile up is disconnected and resumes with its Last-Event-ID.
 */
class EventReader implements FeedReader {
  readonly #parts: ReaderParts;
  #cursor: number;
  #isBehind = true;
  #isOver = false;
  /** Bytes of new events that the feed sent while the client was not reading. */
  #missedBytes = 0;
  #waitingAtLastBeat = 0;
  #hasDrained = true;
  #onDrained: (() => void) | null = null;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
    this.#cursor = parts.after;
    parts.response.on('close', () => this.#leave());
    parts.response.on('drain', () => this.#drained());
    // A broken connection only needs to be closed.
    parts.response.on('error', () => this.#leave());
  }

  /** Joins the feed at once, which sends beats and ends the stream also during the replay. */
  start(): void {
    this.#parts.feed.join(this);
    this.#replay();
  }

  take(batch: FrameBatch): void {
    if (this.#isOver) return;
    if (this.#isBehind) this.#miss(batch);
    else this.#send(batch);
  }

  beat(): void {
    const waiting = this.#waiting;
    // Since the last beat the client has read less than was sent.
    if (waiting > 0 && !this.#hasDrained && waiting >= this.#waitingAtLastBeat) {
      this.#cut();
      return;
    }
    this.#waitingAtLastBeat = waiting;
    this.#hasDrained = waiting === 0;
    if (waiting === 0) this.#parts.response.write(BEAT);
  }

  end(): void {
    this.#leave();
    this.#parts.response.end();
  }

  get #waiting(): number {
    return this.#parts.response.writableLength;
  }

  #send(batch: FrameBatch): void {
    const { response } = this.#parts;
    const bytes = this.#wantedOf(batch);
    if (this.#waiting + bytes.length > SSE_BUFFERED_BYTES_MAX) {
      this.#fallBehind();
      return;
    }
    this.#cursor = Math.max(this.#cursor, batch.frames.at(-1)?.event.seq ?? 0);
    if (bytes.length > 0) response.write(bytes);
  }

  /** Most readers want every new event: they share one buffer. */
  #wantedOf({ frames, whole }: FrameBatch): Buffer {
    const { filter } = this.#parts;
    const isNew = (frames[0]?.event.seq ?? 0) > this.#cursor;
    if (isNew && filter === null) return whole;
    const wanted = frames.filter(({ event }) => event.seq > this.#cursor && (filter === null || filter(event)));
    return wanted.length === frames.length ? whole : Buffer.concat(wanted.map((frame) => frame.bytes));
  }

  #miss(batch: FrameBatch): void {
    if (this.#onDrained === null) return;
    this.#missedBytes += batch.whole.length;
    if (this.#missedBytes > SSE_BUFFERED_BYTES_MAX) this.#cut();
  }

  /** A burst does not disconnect a client that keeps up: it continues from the ledger at its own pace. */
  #fallBehind(): void {
    if (this.#waiting > SSE_REPLAY_BUFFERED_BYTES_MAX) {
      this.#cut();
      return;
    }
    this.#isBehind = true;
    this.#replay();
  }

  #replay(): void {
    this.#catchUp().catch((error: unknown) => {
      this.#parts.onFault(error);
      this.#cut();
    });
  }

  async #catchUp(): Promise<void> {
    const { readPage, timer } = this.#parts;
    while (!this.#isOver) {
      const page = readPage(this.#cursor, SSE_EVENTS_PER_PAGE_MAX);
      const last = page.at(-1);
      if (!last) {
        this.#isBehind = false;
        return;
      }
      await this.#sendPage(page);
      this.#cursor = last.seq;
      if (page.length === SSE_EVENTS_PER_PAGE_MAX) await timer.breathe();
    }
  }

  async #sendPage(page: readonly LedgerEvent[]): Promise<void> {
    const { response, filter } = this.#parts;
    for (const event of page) {
      if (filter !== null && !filter(event)) continue;
      if (this.#waiting > SSE_REPLAY_BUFFERED_BYTES_MAX) await this.#untilDrained();
      if (this.#isOver) return;
      response.write(frameEvent(event).bytes);
    }
  }

  #untilDrained(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrained = resolve;
    });
  }

  #drained(): void {
    this.#hasDrained = true;
    this.#missedBytes = 0;
    const resume = this.#onDrained;
    this.#onDrained = null;
    resume?.();
  }

  #cut(): void {
    this.#leave();
    this.#parts.response.destroy();
  }

  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.feed.leave(this);
    this.#drained();
  }
}
