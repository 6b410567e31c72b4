import type { ProgressSignal } from '../domain/agent-signal.ts';
import { AOP_PROGRESS_EVERY_MS } from '../domain/limits.ts';
import type { Clock } from '../platform/clock.ts';
import type { Timer } from '../platform/timer.ts';

export interface ProgressGateParts {
  readonly clock: Clock;
  readonly timer: Timer;
  send(progress: ProgressSignal): void;
}

/** Lets the progress of one task out at most every 30 seconds; of what came meanwhile, the last (decisions §1, Events). */
export class ProgressGate {
  readonly #parts: ProgressGateParts;
  #sentAt: number | null = null;
  #held: ProgressSignal | null = null;
  #cancel: () => void = () => {};

  constructor(parts: ProgressGateParts) {
    this.#parts = parts;
  }

  take(progress: ProgressSignal): void {
    const isWaiting = this.#held !== null;
    this.#held = progress;
    const waitMs = this.#waitMs();
    if (waitMs <= 0) this.#send();
    else if (!isWaiting) this.#cancel = this.#parts.timer.after(waitMs, () => this.#send());
  }

  /** The run is over: how far it had come is no longer news. */
  drop(): void {
    this.#cancel();
    this.#held = null;
  }

  #waitMs(): number {
    if (this.#sentAt === null) return 0;
    return this.#sentAt + AOP_PROGRESS_EVERY_MS - this.#parts.clock.now().monotonicMs;
  }

  #send(): void {
    this.#cancel();
    const progress = this.#held;
    if (progress === null) return;
    this.#held = null;
    this.#sentAt = this.#parts.clock.now().monotonicMs;
    this.#parts.send(progress);
  }
}
