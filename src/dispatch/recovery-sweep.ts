import { ANSWERS_PURGE_MS, RECOVERY_LATE_MS, RECOVERY_SWEEP_MS, SLEEP_MS_MIN } from '../domain/limits.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { forgetAnswers, recordSleep } from '../operations/ledger-upkeep.ts';
import { recoverRuns } from '../operations/run/recover-runs.ts';
import type { Clock } from '../platform/clock.ts';
import { faultFacts, type Logger } from '../platform/logger.ts';
import { Loop } from '../platform/loop.ts';
import type { Timer } from '../platform/timer.ts';

export interface SweepParts {
  readonly ledger: Ledger;
  readonly timer: Timer;
  readonly clock: Clock;
  readonly log: Logger;
  /** The time that the machine has slept since it started. */
  asleepMs(): number;
}

/** Ends runs without a heartbeat and deletes old answers. */
export class RecoverySweep {
  readonly #parts: SweepParts;
  readonly #loops: readonly Loop[];
  #turnedAt: number;
  #asleepMs: number;

  constructor(parts: SweepParts) {
    this.#parts = parts;
    const { timer, log, ledger } = parts;
    this.#turnedAt = parts.clock.now().monotonicMs;
    this.#asleepMs = parts.asleepMs();
    const onFault = (error: unknown) => log.log('sweep.failed', faultFacts(error));
    this.#loops = [
      new Loop({ timer, everyMs: RECOVERY_SWEEP_MS, tick: () => this.tick(), onFault }),
      new Loop({ timer, everyMs: ANSWERS_PURGE_MS, tick: () => ledger.submit(forgetAnswers, {}), onFault }),
    ];
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  /** Skips a late tick: Baton was suspended, so agents get one more interval. */
  async tick(): Promise<void> {
    const { monotonicMs } = this.#parts.clock.now();
    const isLate = monotonicMs - this.#turnedAt > RECOVERY_LATE_MS;
    this.#turnedAt = monotonicMs;
    await this.#noteSleep();
    if (!isLate) await this.#sweep();
  }

  /** Leases and time limits are on the monotonic clock, which stands still meanwhile: a sleep ends nothing, and is told. */
  async #noteSleep(): Promise<void> {
    const asleepMs = this.#parts.asleepMs();
    const ms = Math.round(asleepMs - this.#asleepMs);
    if (ms < SLEEP_MS_MIN) return;
    this.#asleepMs = asleepMs;
    await this.#parts.ledger.submit(recordSleep, { ms });
    this.#parts.log.log('machine.slept', { ms });
  }

  async #sweep(): Promise<void> {
    const swept = await this.#parts.ledger.submit(recoverRuns, {});
    if (isRefusal(swept) || swept.events.length === 0) return;
    const tasks = new Set(swept.events.map(({ taskId }) => taskId));
    this.#parts.log.log('runs.recovered', { tasks: [...tasks] });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }
}
