import type { Timer } from '../../src/platform/timer.ts';

/** The twin of the system timer: pauses are over at once, and what waits for later waits until it is told. */
export class TestTimer implements Timer {
  readonly #later = new Map<() => void, number>();

  breathe(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  pause(): Promise<void> {
    return this.breathe();
  }

  after(milliseconds: number, call: () => void): () => void {
    this.#later.set(call, milliseconds);
    return () => this.#later.delete(call);
  }

  /** How long each call that waits was told to wait. */
  get waits(): number[] {
    return [...this.#later.values()];
  }

  /** Everything that waits is called now. */
  fire(): void {
    const calls = [...this.#later.keys()];
    this.#later.clear();
    for (const call of calls) call();
  }
}
