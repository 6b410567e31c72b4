import type { DayLimit } from '../../domain/order/budget.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { lastSeq, lastSeqBefore, selectEventsOfTypes } from '../../ledger/statements/events.ts';
import type { Reader } from '../../ledger/tx.ts';
import { type Clock, startOfDay } from '../../platform/clock.ts';
import { inSlices } from '../../platform/timer.ts';

/** The ledger is read in parts of this many events, so that nothing else waits for long. */
const EVENTS_PER_PART = 20_000;

/** Events that say what something cost: a run, and a review. */
const COSTLY = ['run.exited', 'feedback.answered', 'feedback.lost'] as const;

/**
 * The money that the runs and reviews of today cost: those that ended, from the ledger, and those that work now. It reads each
 * event once.
 */
export class DaySpend {
  readonly #read: Reader;
  readonly #clock: Clock;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #cursor = 0;
  #endedUsd = 0;
  /** The cost so far of each run, and of each session of reviews, whose end is not in the ledger yet. */
  readonly #live = new Map<string, number>();

  constructor(read: Reader, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  /** Up to this moment. */
  async usd(): Promise<number> {
    const breathe = inSlices();
    this.#beginDay();
    for (let end = lastSeq(this.#read); this.#cursor < end; end = lastSeq(this.#read)) {
      this.#readUpTo(Math.min(end, this.#cursor + EVENTS_PER_PART));
      await breathe();
    }
    return this.#usdWithout(null);
  }

  /** The cap of the day as one run meets it. Once usd() has caught up, a look at the others costs what ended since. */
  limitOf(runId: string, usdMax: number): DayLimit {
    return { usdMax, spentUsd: (ownUsd) => this.#withLive(runId, ownUsd) };
  }

  /** The same for one try of a review; the earlier tries of its iteration cost `earlierUsd`. */
  limitOfReview(sessionId: string, usdMax: number, earlierUsd: number): DayLimit {
    return { usdMax, spentUsd: (ownUsd) => this.#withLive(sessionId, earlierUsd + ownUsd) };
  }

  #withLive(id: string, usd: number): number {
    this.#live.set(id, usd);
    this.#beginDay();
    this.#readUpTo(lastSeq(this.#read));
    return this.#usdWithout(id) + usd;
  }

  #beginDay(): void {
    const sinceMs = startOfDay(this.#clock.now().wallMs);
    if (sinceMs === this.#sinceMs) return;
    this.#sinceMs = sinceMs;
    this.#cursor = lastSeqBefore(this.#read, sinceMs);
    this.#endedUsd = 0;
  }

  #readUpTo(upTo: number): void {
    if (upTo <= this.#cursor) return;
    const range = { after: this.#cursor, upTo };
    for (const event of selectEventsOfTypes(this.#read, COSTLY, range)) this.#take(event);
    this.#cursor = upTo;
  }

  #take({ type, runId, payload }: LedgerEvent): void {
    const isRun = type === 'run.exited';
    const { costUsd = 0 } = (isRun ? (payload.spend ?? {}) : payload) as { readonly costUsd?: number };
    this.#endedUsd += costUsd;
    const id = isRun ? runId : String(payload.session);
    if (id !== null) this.#live.delete(id);
  }

  #usdWithout(runId: string | null): number {
    let usd = this.#endedUsd;
    for (const [each, cost] of this.#live) if (each !== runId) usd += cost;
    return usd;
  }
}
