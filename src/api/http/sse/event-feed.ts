import { SSE_EVENTS_PER_PAGE_MAX, SSE_HEARTBEAT_MS, SSE_REST_MS } from '../../../domain/http-limits.ts';
import { lastSeq, selectEvents } from '../../../ledger/statements/events.ts';
import type { Timer } from '../../../platform/timer.ts';
import { nextTurn } from '../../../platform/timer.ts';
import type { EventSource } from '../../events/follow-ledger.ts';
import { batchFrames, type FrameBatch, frameEvent } from './event-frame.ts';

/** A receiver of new events. */
export interface FeedReader {
  take(batch: FrameBatch): void;
  /** Called every 15 s. */
  beat(): void;
  end(): void;
}

export interface FeedParts {
  readonly ledger: EventSource;
  readonly timer: Timer;
  /** The ledger could not be read. All streams were ended; clients reconnect. */
  onFault(error: unknown): void;
}

/**
 * Follows the ledger for all readers at once: each event is read and encoded once. It reads in the turn of the event
 * loop after a commit and then pauses, so that the events of the next commits go out together. Without readers it is idle.
 */
export class EventFeed {
  readonly #parts: FeedParts;
  readonly #readers = new Set<FeedReader>();
  readonly #stopListening: () => void;
  #cancelBeat: () => void = () => {};
  #cursor = 0;
  #isScheduled = false;
  #isPaused = false;
  #hasMore = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#stopListening = parts.ledger.onCommitted(() => this.#wake());
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** Adds a reader that already has every event of the ledger. */
  join(reader: FeedReader): void {
    if (this.#readers.size === 0) {
      this.#cursor = lastSeq(this.#parts.ledger.read);
      this.#beatLater();
    }
    this.#readers.add(reader);
  }

  leave(reader: FeedReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0) this.#cancelBeat();
  }

  close(): void {
    this.#stopListening();
    for (const reader of [...this.#readers]) reader.end();
    this.#cancelBeat();
  }

  #wake(): void {
    if (this.#readers.size === 0 || this.#isScheduled) return;
    if (this.#isPaused) {
      this.#hasMore = true;
      return;
    }
    this.#isScheduled = true;
    nextTurn(() => {
      this.#isScheduled = false;
      this.#sendOrEnd();
    });
  }

  #sendOrEnd(): void {
    try {
      this.#send();
    } catch (error) {
      this.#parts.onFault(error);
      for (const reader of [...this.#readers]) reader.end();
    }
  }

  #send(): void {
    if (this.#readers.size === 0) return;
    const events = selectEvents(this.#parts.ledger.read, this.#cursor, SSE_EVENTS_PER_PAGE_MAX);
    const last = events.at(-1);
    if (!last) return;
    this.#cursor = last.seq;
    const batch = batchFrames(events.map(frameEvent));
    for (const reader of [...this.#readers]) reader.take(batch);
    if (events.length === SSE_EVENTS_PER_PAGE_MAX) this.#wake();
    else this.#pause();
  }

  #pause(): void {
    this.#isPaused = true;
    this.#hasMore = false;
    this.#parts.timer.after(SSE_REST_MS, () => {
      this.#isPaused = false;
      if (this.#hasMore) this.#wake();
    });
  }

  #beatLater(): void {
    this.#cancelBeat = this.#parts.timer.after(SSE_HEARTBEAT_MS, () => {
      for (const reader of [...this.#readers]) reader.beat();
      if (this.#readers.size > 0) this.#beatLater();
    });
  }
}
