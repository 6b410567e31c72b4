import { SSE_EVENTS_PER_PAGE_MAX } from '../../domain/http-limits.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { EventView } from '../contract.ts';
import { NodeFault } from '../node-fault.ts';
import type { FollowRequest } from '../requests.ts';
import { viewEvent } from '../task/views.ts';
import { findStart, type StreamStart } from './stream-start.ts';

/** The ledger as far as a stream of events needs it. */
export type EventSource = Pick<Ledger, 'read' | 'onCommitted'>;

/** Events of a ledger in the same process. The HTTP server sends them from `start` on with frames that its readers share. */
export class FollowedEvents implements AsyncIterable<EventView> {
  readonly start: StreamStart;
  readonly #source: EventSource;
  readonly #signal: AbortSignal | undefined;

  constructor(source: EventSource, start: StreamStart, signal?: AbortSignal) {
    this.#source = source;
    this.start = start;
    this.#signal = signal;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EventView> {
    const { start } = this;
    if (start.kind === 'stale')
      throw new NodeFault('follow', start.message, { retryable: false, code: 'stale_cursor' });
    for (let after = start.after; !this.#signal?.aborted; ) {
      const page = start.readPage(after, SSE_EVENTS_PER_PAGE_MAX);
      for (const event of page) if (start.filter === null || start.filter(event)) yield viewEvent(event);
      after = page.at(-1)?.seq ?? after;
      if (page.length === 0) await this.#nextCommit();
    }
  }

  #nextCommit(): Promise<void> {
    return new Promise((resolve) => {
      const stopListening = this.#source.onCommitted(() => done());
      const done = () => {
        stopListening();
        this.#signal?.removeEventListener('abort', done);
        resolve();
      };
      this.#signal?.addEventListener('abort', done);
    });
  }
}

export function followLedger(
  source: EventSource,
  request: FollowRequest,
  signal?: AbortSignal,
): FollowedEvents | Refusal {
  const start = findStart(source.read, request);
  return isRefusal(start) ? start : new FollowedEvents(source, start, signal);
}
