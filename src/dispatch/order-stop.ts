import type { StopReason } from './attempt/attempt.ts';

/** Ends one drive of an order: its agent, its checks and its calls of git. */
export class OrderStop {
  #controller = new AbortController();
  #isChecking = false;

  /** Aborted with a StopReason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first reason counts, unless it spares answers and a later one does not. */
  abort(reason: StopReason): void {
    if (this.#isChecking && reason.sparesAnswer) return;
    if (sparesAnswer(this.signal)) this.#controller = new AbortController();
    this.#controller.abort(reason);
  }

  /** Runs the checks of an attempt whose agent has answered: a stop that spares the answer ends none of them. */
  async duringChecks<Found>(check: (signal: AbortSignal) => Promise<Found>): Promise<Found> {
    if (sparesAnswer(this.signal)) this.#controller = new AbortController();
    this.#isChecking = true;
    try {
      return await check(this.signal);
    } finally {
      this.#isChecking = false;
    }
  }
}

/** Whether a stop was requested that leaves an agent alone once it has answered. */
export function sparesAnswer({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as StopReason).sparesAnswer === true;
}
