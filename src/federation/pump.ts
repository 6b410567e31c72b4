/** Calls `turn` until it returns false, never twice at once; another request during a turn causes one more. */
export class Pump {
  readonly source: string;
  position: string | null = null;
  readonly #turn: () => Promise<boolean>;
  readonly #gather: () => Promise<void>;
  #running: Promise<void> | null = null;
  #isAsked = false;
  #isClosed = false;

  /** Waits with `gather` before the first turn, so that what arrives together is passed on together. */
  constructor(source: string, turn: () => Promise<boolean>, gather: () => Promise<void> = async () => {}) {
    this.source = source;
    this.#turn = turn;
    this.#gather = gather;
  }

  run(): void {
    this.#isAsked = true;
    this.#running ??= this.#loop();
  }

  /** Resolves when everything that was there at the time of the call has been passed on. */
  async idle(): Promise<void> {
    this.run();
    await this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #loop(): Promise<void> {
    await this.#gather();
    while (this.#isAsked && !this.#isClosed) {
      this.#isAsked = false;
      try {
        if (await this.#turn()) this.#isAsked = true;
      } catch {
        // The one who takes the frames reports its own fault; the frames come again with the next request.
      }
    }
    this.#running = null;
  }
}
