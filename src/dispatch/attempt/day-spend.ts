import type { DayLimit } from '../../domain/budget.ts';
import type { LedgerEvent } from '../../domain/ledger-event.ts';
import { lastSeq, lastSeqBefore, selectEventsOfTypes } from '../../ledger/statements/events.ts';
import type { Reader } from '../../ledger/tx.ts';
import { type Clock, startOfDay } from '../../platform/clock.ts';
import { inSlices } from '../../platform/timer.ts';

/** The ledger is read in parts of this many events, so that nothing else waits for long. */
const EVENTS_PER_PART = 20_000;

/** The money that the runs of today cost: those that ended, from the ledger, and those that work now. It reads each event once. */
export class DaySpend {
  readonly #read: Reader;
  readonly #clock: Clock;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #cursor = 0;
  #endedUsd = 0;
  /** The cost so far of each run whose end is not in the ledger yet. */
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
    return {
      usdMax,
      spentUsd: (ownUsd) => {
        this.#live.set(runId, ownUsd);
        this.#beginDay();
        this.#readUpTo(lastSeq(this.#read));
        return this.#usdWithout(runId) + ownUsd;
      },
    };
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
    for (const event of selectEventsOfTypes(this.#read, ['run.exited'], range)) this.#take(event);
    this.#cursor = upTo;
  }

  #take({ runId, payload }: LedgerEvent): void {
    const { costUsd = 0 } = (payload.spend ?? {}) as { readonly costUsd?: number };
    this.#endedUsd += costUsd;
    if (runId !== null) this.#live.delete(runId);
  }

  #usdWithout(runId: string | null): number {
    let usd = this.#endedUsd;
    for (const [each, cost] of this.#live) if (each !== runId) usd += cost;
    return usd;
  }
}
