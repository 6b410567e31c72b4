import { AWAKE_KEPT_MS, RECOVERY_LATE_MS } from '../../domain/limits.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { addAwakeTime, awakeMsOf } from '../../operations/awake-time.ts';
import type { Clock } from '../../platform/clock.ts';

/**
 * The time that nodes of this folder were awake: sessions have a limit on it. Time in which this process did not run, because the
 * machine slept or the process was stopped, does not count. It is stored every few seconds.
 */
export class AwakeTime {
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  #countedAt: number | null = null;
  #notStoredMs = 0;

  constructor(ledger: Ledger, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** Nothing is timed until the next call of `count`. */
  rest(): void {
    this.#countedAt = null;
  }

  nowMs(): number {
    return awakeMsOf(this.#ledger.read) + this.#notStoredMs;
  }

  /** Counts the time since the last call; a longer gap than between two turns was no awake time. */
  async count(): Promise<void> {
    const { monotonicMs } = this.#clock.now();
    const gapMs = this.#countedAt === null ? 0 : monotonicMs - this.#countedAt;
    this.#countedAt = monotonicMs;
    if (gapMs < RECOVERY_LATE_MS) this.#notStoredMs += gapMs;
    if (this.#notStoredMs < AWAKE_KEPT_MS) return;
    const ms = this.#notStoredMs;
    const stored = await this.#ledger.submit(addAwakeTime, { ms });
    if (!isRefusal(stored)) this.#notStoredMs -= ms;
  }
}
