import { AWAKE_KEPT_MS, RECOVERY_LATE_MS } from '../domain/limits.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { Command } from '../ledger/commit-queue.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { selectMeta, upsertMeta } from '../ledger/statements/meta.ts';
import type { Reader } from '../ledger/tx.ts';
import type { Clock } from '../platform/clock.ts';

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

const AWAKE_KEY = 'awake_ms';

/** The time that nodes of this folder were awake, as far as it is stored: sessions are timed by it. */
function awakeMsOf(tx: Reader): number {
  return Number(selectMeta(tx, AWAKE_KEY) ?? 0);
}

/** Adds the time that this node was awake since the last call. */
const addAwakeTime: Command<{ readonly ms: number }, { readonly awakeMs: number }> = (tx, { ms }) => {
  const awakeMs = awakeMsOf(tx) + Math.max(0, Math.round(ms));
  if (ms > 0) upsertMeta(tx, AWAKE_KEY, String(awakeMs));
  return { awakeMs };
};
