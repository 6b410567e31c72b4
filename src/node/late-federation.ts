import type { FederationDoor } from '../api/in-process/federation-calls.ts';
import type { FederationSide, FederationSideParts } from './federation-side.ts';

/** The federation of a node, behind an import of its own: most nodes and most commands need none of it. */
export class LateFederation implements FederationDoor {
  readonly #parts: FederationSideParts;
  #side: Promise<FederationSide> | null = null;

  constructor(parts: FederationSideParts) {
    this.#parts = parts;
  }

  /** For a node that stays on: joins where the configuration says so. */
  start(): void {
    void this.#loaded().then((side) => side.start());
  }

  readonly open: FederationDoor['open'] = async () => await (await this.#loaded()).open();
  readonly join: FederationDoor['join'] = async (request) => await (await this.#loaded()).join(request);
  readonly leave: FederationDoor['leave'] = async () => await (await this.#loaded()).leave();

  async close(): Promise<void> {
    await (await this.#side)?.close();
  }

  #loaded(): Promise<FederationSide> {
    this.#side ??= import('./federation-side.ts').then(({ FederationSide: Side }) => new Side(this.#parts));
    return this.#side;
  }
}
