import type { FederationAccess } from '../api/in-process/federation-calls.ts';
import type { FederationService, FederationServiceParts } from './federation-service.ts';

/** The federation of a node, behind an import of its own: most nodes and most commands need none of it. */
export class FederationOnDemand implements FederationAccess {
  readonly #parts: FederationServiceParts;
  #service: Promise<FederationService> | null = null;

  constructor(parts: FederationServiceParts) {
    this.#parts = parts;
  }

  /** For a node that stays on: joins where the configuration says so. */
  start(): void {
    void this.#loaded().then((service) => service.start());
  }

  readonly open: FederationAccess['open'] = async (how) => await (await this.#loaded()).open(how);
  readonly join: FederationAccess['join'] = async (request) => await (await this.#loaded()).join(request);
  readonly leave: FederationAccess['leave'] = async () => await (await this.#loaded()).leave();

  async close(): Promise<void> {
    await (await this.#service)?.close();
  }

  #loaded(): Promise<FederationService> {
    this.#service ??= import('./federation-service.ts').then(
      ({ FederationService: Service }) => new Service(this.#parts),
    );
    return this.#service;
  }
}
