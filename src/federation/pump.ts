/** Calls `turn` until it returns false, never twice at once; another request during a turn causes one more. */
export class Pump {
  readonly source: string;
  position: string | null = null;
  readonly #turn: () => Promise<boolean>;
  readonly #gather: () => Promise<void>;
  #running: Promise<void> | null = null;
  readonly #onFailed: () => void;
  #isAsked = false;
  #isClosed = false;

  /**
   * Waits with `gather` before the first turn, so that what arrives together is passed on together. After a failed turn `onFailed`
   * has it run again later.
   */
  constructor(
    source: string,
    turn: () => Promise<boolean>,
    {
      gather = async () => {},
      onFailed = () => {},
    }: { readonly gather?: () => Promise<void>; readonly onFailed?: () => void } = {},
  ) {
    this.source = source;
    this.#turn = turn;
    this.#gather = gather;
    this.#onFailed = onFailed;
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
        // The one who takes the frames reports its own fault; the frames come again.
        if (!this.#isClosed) this.#onFailed();
      }
    }
    this.#running = null;
  }
}
