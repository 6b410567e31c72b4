import type { Now } from '../../src/domain/now.ts';
import type { Clock } from '../../src/platform/clock.ts';

/** The twin of the system clock: it moves only when told, and its two clocks can part. */
export class TestClock implements Clock {
  #wallMs = Date.parse('2026-02-09T20:55:00.000Z');
  #monotonicMs = 1_000_000;
  #boots = 1;

  now(): Now {
    return { wallMs: this.#wallMs, monotonicMs: this.#monotonicMs, bootId: `boot-${this.#boots}` };
  }

  /** Time passes, on both clocks. */
  step(milliseconds: number): void {
    this.#wallMs += milliseconds;
    this.#monotonicMs += milliseconds;
  }

  /** Somebody sets the wall clock; no time passes. */
  jumpWall(milliseconds: number): void {
    this.#wallMs += milliseconds;
  }

  /** The machine comes up again: the monotonic clock starts over, under another name. */
  reboot(): void {
    this.#boots++;
    this.#monotonicMs = 10_000;
  }
}
