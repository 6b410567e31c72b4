import { OPEN_CALLS_MAX } from '../../../domain/limits.ts';

/** Names of the tool calls that have begun and not ended, by their ids. An agent that ends none is bounded too. */
export class OpenCalls {
  readonly #names = new Map<string, string>();

  begin(id: string, name: string): void {
    this.#names.set(id, name);
    if (this.#names.size <= OPEN_CALLS_MAX) return;
    const [oldest = ''] = this.#names.keys();
    this.#names.delete(oldest);
  }

  nameOf(id: string): string | undefined {
    return this.#names.get(id);
  }

  /** The name of a call that ends now; undefined for one that is not known. */
  end(id: string): string | undefined {
    const name = this.#names.get(id);
    this.#names.delete(id);
    return name;
  }
}
