import { MIRROR_PAUSES_MAX, MIRROR_SLICE_MS, MIRROR_STAND_BACK_MS } from '../domain/limits.ts';
import type { Clock } from '../platform/clock.ts';
import type { Timer } from '../platform/timer.ts';

export interface WorkSliceParts {
  readonly clock: Clock;
  readonly timer: Timer;
  /** True if others had work since the last call. */
  isBusy(): boolean;
}

/** Splits long work into short slices: the tree may be late, an answer may not. */
export class WorkSlice {
  readonly #parts: WorkSliceParts;
  #startedMs: number;

  constructor(parts: WorkSliceParts) {
    this.#parts = parts;
    this.#startedMs = parts.clock.now().monotonicMs;
  }

  begin(): void {
    this.#startedMs = this.#parts.clock.now().monotonicMs;
  }

  get isOver(): boolean {
    return this.#parts.clock.now().monotonicMs - this.#startedMs >= MIRROR_SLICE_MS;
  }

  async rest(): Promise<void> {
    const { timer, isBusy } = this.#parts;
    await (isBusy() ? this.#standBack() : timer.breathe());
    this.begin();
  }

  /** A pause that ends late by a slice shows that answers need the whole thread, and is repeated while they do. */
  async #standBack(): Promise<void> {
    const { clock, timer, isBusy } = this.#parts;
    for (let pauses = 0; pauses < MIRROR_PAUSES_MAX; pauses++) {
      const dueMs = clock.now().monotonicMs + MIRROR_STAND_BACK_MS;
      await timer.pause(MIRROR_STAND_BACK_MS);
      if (clock.now().monotonicMs - dueMs < MIRROR_SLICE_MS || !isBusy()) return;
    }
  }
}
