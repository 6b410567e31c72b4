import type { FederationAccess } from '../../calls/federation/federation-calls.ts';
import type { TaskName } from '../../domain/task/task.ts';
import { selectReceivedAs } from '../../ledger/statements/federation/received-tasks.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import type { SentOrderEdge } from '../../orders/sent-order-edge.ts';
import { Port } from '../../platform/port.ts';
import type { Parcels } from '../../remote/parcels.ts';
import type { SentOrders } from '../../remote/sender/sent-orders.ts';
import type { OrderService } from '../order-service.ts';
import type { FederationService, FederationServiceParts } from './federation-service.ts';
import { loadParcels } from './load-parcels.ts';

type RunningParts = Pick<OrderService, 'runner' | 'dispatcher'>;

interface FederationOptions {
  readonly isBrief?: boolean;
  readonly runsRequestedOnly?: boolean;
}

/** The federation of a node, behind an import of its own: most nodes and most commands need none of it. */
export class FederationOnDemand implements FederationAccess {
  readonly #world: OrderWorld;
  readonly #isBrief: boolean;
  readonly #staysOn: boolean;
  readonly #orderParts = new Port<RunningParts>();
  #service: Promise<FederationService> | null = null;
  #loaded: FederationService | null = null;
  #orders: Promise<SentOrders> | null = null;
  /** Orders that other nodes run. */
  readonly remote: SentOrderEdge;

  constructor(world: OrderWorld, { isBrief = false, runsRequestedOnly = false }: FederationOptions) {
    this.#world = world;
    this.#isBrief = isBrief;
    this.#staysOn = !isBrief && !runsRequestedOnly;
    const orders = () => this.#remoteOrders();
    this.remote = {
      isBrief,
      send: async (order) => await (await orders()).send(order),
      look: async (order) => await (await orders()).look(order),
      recall: async (order, reason) => await (await orders()).recall(order, reason),
      bring: async (order) => await (await orders()).bring(order),
    };
  }

  /** Connects the parts that run orders: tasks of other nodes wait until then. */
  connect(running: RunningParts): void {
    this.#orderParts.connect(running);
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
    const received = selectReceivedAs(this.#world.ledger.read, taskId);
    if (received === null || received.fence === null || received.state !== 'accepted') return false;
    const presence = this.#loaded?.current?.presence;
    return !presence?.isLeaseValid || presence.fenceOf(received.agent) !== received.fence;
  };

  readonly open: FederationAccess['open'] = async (how) => await (await this.#load()).open(how);
  readonly join: FederationAccess['join'] = async (request) => await (await this.#load()).join(request);
  readonly leave: FederationAccess['leave'] = async () => await (await this.#load()).leave();

  /** The content of work that travels between nodes. */
  readonly parcels = (): Promise<Parcels> => loadParcels(this.#world);

  async close(): Promise<void> {
    await (await this.#service)?.close();
  }

  #load(): Promise<FederationService> {
    this.#service ??= import('./federation-service.ts').then(({ FederationService: Service }) => {
      this.#loaded = new Service(this.#serviceParts());
      return this.#loaded;
    });
    return this.#service;
  }

  #remoteOrders(): Promise<SentOrders> {
    const { ledger, clock } = this.#world;
    const parts = { isBrief: this.#isBrief, ledger, clock, parcels: this.parcels, federation: this.open };
    this.#orders ??= import('../../remote/sender/sent-orders.ts').then(({ SentOrders: Orders }) => new Orders(parts));
    return this.#orders;
  }

  /** A node that stays on runs tasks of others; any node runs its own. */
  #serviceParts(): FederationServiceParts {
    const { dataFolder, ledger, clock, timer, ids, log, roster } = this.#world;
    const [world, parcels] = [this.#world, this.parcels];
    return {
      ...{ dataFolder, ledger, clock, timer, ids, log, parcels },
      settings: roster.settings,
      received: () => {
        if (!this.#staysOn || this.#orderParts.now === null) return null;
        const { runner, dispatcher } = this.#orderParts.now;
        return { world, runner, dispatcher, parcels };
      },
      wake: () => {
        if (!this.#isBrief) this.#orderParts.now?.dispatcher.wake();
      },
    };
  }
}
