import type { Now } from '../../../src/domain/now.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Timer } from '../../../src/platform/timer.ts';

/** Virtual time for many simulated machines: it passes only when told, and wakes whoever waits. */
export class SimTime {
  nowMs = Date.parse('2026-02-25T16:00:00.000Z');
  readonly #waiting: { readonly atMs: number; readonly call: () => void }[] = [];

  /** The clock of one machine, which may be wrong. */
  clock(skewMs: () => number): Clock {
    return { now: (): Now => ({ wallMs: this.nowMs + skewMs(), monotonicMs: this.nowMs, bootId: 'sim' }) };
  }

  get timer(): Timer {
    return {
      breathe: () => new Promise((resolve) => setImmediate(resolve)),
      pause: (ms) => new Promise((resolve) => void this.#after(ms, resolve)),
      after: (ms, call) => this.#after(ms, call),
    };
  }

  #after(ms: number, call: () => void): () => void {
    const entry = { atMs: this.nowMs + ms, call };
    this.#waiting.push(entry);
    return () => {
      const at = this.#waiting.indexOf(entry);
      if (at >= 0) this.#waiting.splice(at, 1);
    };
  }

  pass(ms: number): void {
    this.nowMs += ms;
    const due = this.#waiting.filter(({ atMs }) => atMs <= this.nowMs);
    for (const entry of due) this.#waiting.splice(this.#waiting.indexOf(entry), 1);
    for (const { call } of due) call();
  }
}
