import type { FederationAccess } from '../../calls/federation/federation-calls.ts';
import type { RunWorld } from '../../dispatch/run-world.ts';
import type { TaskName } from '../../domain/task/task.ts';
import { selectReceivedAs } from '../../ledger/statements/federation/received-tasks.ts';
import type { RemoteEdge } from '../../orders/sent-order-edge.ts';
import type { WorkTravel } from '../../remote/parcels.ts';
import type { RemoteOrders } from '../../remote/sender/sent-orders.ts';
import type { OrderService } from '../order-service.ts';
import type { FederationService, FederationServiceParts } from './federation-service.ts';
import { openTravel } from './load-parcels.ts';

/** The federation of a node, behind an import of its own: most nodes and most commands need none of it. */
export class FederationOnDemand implements FederationAccess {
  readonly #parts: () => FederationServiceParts;
  #service: Promise<FederationService> | null = null;
  #loaded: FederationService | null = null;
  #orders: Promise<RemoteOrders> | null = null;
  /** Orders that other nodes run. */
  readonly remote: RemoteEdge;

  constructor(parts: () => FederationServiceParts, { isBrief = false }: { readonly isBrief?: boolean }) {
    this.#parts = parts;
    const orders = () => this.#remoteOrders(isBrief);
    this.remote = {
      isBrief,
      send: async (order) => await (await orders()).send(order),
      look: async (order) => await (await orders()).look(order),
      recall: async (order, reason) => await (await orders()).recall(order, reason),
      bring: async (order) => await (await orders()).bring(order),
    };
  }

  /** For a node that stays on: joins where the configuration says so. */
  start(): void {
    void this.#load().then((service) => service.start());
  }

  /**
   * Whether a task of another node waits because its agent could be on yet another by now: nothing of it starts unless this node owns
   * the agent under the fence that it was accepted with.
   */
  readonly isHeldUp = (taskId: TaskName): boolean => {
    const received = selectReceivedAs(this.#parts().ledger.read, taskId);
    if (received === null || received.fence === null || received.state !== 'accepted') return false;
    const presence = this.#loaded?.current?.presence;
    return !presence?.isLeaseValid || presence.fenceOf(received.agent) !== received.fence;
  };

  readonly open: FederationAccess['open'] = async (how) => await (await this.#load()).open(how);
  readonly join: FederationAccess['join'] = async (request) => await (await this.#load()).join(request);
  readonly leave: FederationAccess['leave'] = async () => await (await this.#load()).leave();

  /** The content of work that travels between nodes. */
  travel(): Promise<WorkTravel> {
    return this.#parts().travel();
  }

  async close(): Promise<void> {
    await (await this.#service)?.close();
  }

  #load(): Promise<FederationService> {
    this.#service ??= import('./federation-service.ts').then(({ FederationService: Service }) => {
      this.#loaded = new Service(this.#parts());
      return this.#loaded;
    });
    return this.#service;
  }

  #remoteOrders(isBrief: boolean): Promise<RemoteOrders> {
    const { ledger, clock, travel } = this.#parts();
    const parts = { isBrief, ledger, clock, travel, federation: this.open };
    this.#orders ??= import('../../remote/sender/sent-orders.ts').then(({ RemoteOrders: Orders }) => new Orders(parts));
    return this.#orders;
  }
}

/** A node that stays on runs tasks of others; any node runs its own. */
export function federationParts(
  world: RunWorld,
  { runner, dispatcher }: Pick<OrderService, 'runner' | 'dispatcher'>,
  { isBrief = false, runsRequestedOnly = false }: { readonly isBrief?: boolean; readonly runsRequestedOnly?: boolean },
): FederationServiceParts {
  const staysOn = !isBrief && !runsRequestedOnly;
  const travel = () => openTravel(world);
  return {
    ...world,
    travel,
    foreign: () => (staysOn ? { world, runner, dispatcher, travel } : null),
    wake: () => {
      if (!isBrief) dispatcher.wake();
    },
  };
}
