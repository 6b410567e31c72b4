import { SSE_EVENTS_PER_PAGE_MAX, SSE_HEARTBEAT_MS, SSE_REST_MS } from '../../../domain/limits.ts';
import { lastSeq, selectEvents } from '../../../ledger/statements/events.ts';
import type { Timer } from '../../../platform/timer.ts';
import { nextTurn } from '../../../platform/timer.ts';
import type { EventSource } from '../../events/follow-ledger.ts';
import { batchFrames, type FrameBatch, frameEvent } from './event-frame.ts';

/** Who is told of events as they come. */
export interface FeedReader {
  take(batch: FrameBatch): void;
  /** Called every 15 s. */
  beat(): void;
  end(): void;
}

export interface FeedParts {
  readonly ledger: EventSource;
  readonly timer: Timer;
  /** The ledger could not be read: the readers were let go, and come back. */
  onFault(error: unknown): void;
}

/**
 * Follows the ledger for all readers at once: each event is read and written out one time. It reads after a commit,
 * in a turn of its own, and then rests: what is committed meanwhile goes out together. With nobody there it does
 * nothing.
 */
export class EventFeed {
  readonly #parts: FeedParts;
  readonly #readers = new Set<FeedReader>();
  readonly #stopListening: () => void;
  #cancelBeat: () => void = () => {};
  #cursor = 0;
  #isComing = false;
  #isResting = false;
  #hasMore = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#stopListening = parts.ledger.onCommitted(() => this.#wake());
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** For one who has had every event that is in the ledger now. */
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
    if (this.#readers.size === 0 || this.#isComing) return;
    if (this.#isResting) {
      this.#hasMore = true;
      return;
    }
    this.#isComing = true;
    nextTurn(() => {
      this.#isComing = false;
      this.#sendOrLetGo();
    });
  }

  #sendOrLetGo(): void {
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
    else this.#rest();
  }

  #rest(): void {
    this.#isResting = true;
    this.#hasMore = false;
    this.#parts.timer.after(SSE_REST_MS, () => {
      this.#isResting = false;
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
