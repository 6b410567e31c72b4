import type { StopReason } from './attempt/attempt.ts';

/** The two signals of an order. Each is aborted with a StopReason, at most once while anybody listens to it. */
export interface StopSignals {
  /** Ends everything: the agent, the checks and the calls of git. */
  readonly stop: AbortSignal;
  /** Ends an agent only until it has answered; its work is then checked. */
  readonly sparing: AbortSignal;
}

/** Ends one drive of an order. */
export class OrderStop {
  readonly #stop = new AbortController();
  #sparing = new AbortController();
  #isChecking = false;

  get signals(): StopSignals {
    return { stop: this.#stop.signal, sparing: this.#sparing.signal };
  }

  /** Aborted by either kind of stop: before an agent has started, nothing is to be spared. */
  get either(): AbortSignal {
    return AbortSignal.any([this.#stop.signal, this.#sparing.signal]);
  }

  abort(reason: StopReason): void {
    if (!reason.sparesAnswer) this.#stop.abort(reason);
    else if (!this.#isChecking) this.#sparing.abort(reason);
  }

  /** Runs the checks of an attempt whose agent has answered: a stop that spares the answer ends none of them. */
  async duringChecks<Found>(check: (signal: AbortSignal) => Promise<Found>): Promise<Found> {
    // It has done its work: the agent that it could have ended has answered.
    this.#sparing = new AbortController();
    this.#isChecking = true;
    try {
      return await check(this.#stop.signal);
    } finally {
      this.#isChecking = false;
    }
  }
}
