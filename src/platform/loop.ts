import type { Timer } from './timer.ts';

export interface LoopParts {
  readonly timer: Timer;
  readonly everyMs: number;
  tick(): Promise<unknown>;
  onFault(error: unknown): void;
}

/** Calls `tick` with a pause between calls, never twice at once. A failed tick is reported; the loop continues. */
export class Loop {
  readonly #parts: LoopParts;
  #isStopped = false;
  #cancel: () => void = () => {};
  #turn: Promise<void> = Promise.resolve();

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#isStopped) return;
    const { timer, everyMs } = this.#parts;
    this.#cancel = timer.after(everyMs, () => {
      this.#turn = this.#takeTurn();
    });
  }

  /** Waits for the running tick. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#turn;
  }

  async #takeTurn(): Promise<void> {
    try {
      await this.#parts.tick();
    } catch (error) {
      this.#parts.onFault(error);
    }
    this.start();
  }
}
