/** The place of a part that is made later. Who asks for the part before it is connected waits until then. */
export class Port<Part> {
  readonly #connected = Promise.withResolvers<Part>();
  #part: Part | null = null;

  /** Null until it is connected. */
  get now(): Part | null {
    return this.#part;
  }

  wait(): Promise<Part> {
    return this.#connected.promise;
  }

  connect(part: Part): void {
    this.#part = part;
    this.#connected.resolve(part);
  }
}
