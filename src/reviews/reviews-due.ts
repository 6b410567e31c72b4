/** The event that an order is reported whose work another agent may have to review. Nobody has to listen. */
export class ReviewsDue {
  readonly #listeners = new Set<() => void>();

  readonly announce = (): void => {
    for (const listener of this.#listeners) listener();
  };

  listen(listener: () => void): void {
    this.#listeners.add(listener);
  }
}
