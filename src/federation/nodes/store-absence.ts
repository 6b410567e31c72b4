import type { StoreAbsence } from '../../domain/federation/judge-peer.ts';
import type { Clock } from '../../platform/clock.ts';

/** The last time in which this process could not reach the store. */
export class StoreAbsences {
  readonly #clock: Clock;
  #lostAtMs: number | null = null;
  #returnedAtMs: number | null = null;
  #lastedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Called while the store is away, once or often. */
  lost(): void {
    this.#lostAtMs ??= this.#clock.now().monotonicMs;
  }

  returned(): void {
    if (this.#lostAtMs === null) return;
    this.#returnedAtMs = this.#clock.now().monotonicMs;
    this.#lastedMs = this.#returnedAtMs - this.#lostAtMs;
    this.#lostAtMs = null;
  }

  /** Null before the first. */
  get last(): StoreAbsence | null {
    if (this.#returnedAtMs === null) return null;
    return { lastedMs: this.#lastedMs, sinceMs: this.#clock.now().monotonicMs - this.#returnedAtMs };
  }
}
