import type { NodeClient } from '../../api/node-client.ts';
import { NodeFault } from '../../api/node-fault.ts';
import { findHolder } from '../../node/folder/folder-holder.ts';
import type { BegunOrders, OrderOffers } from '../../orders/order-offers.ts';
import type { FolderLock } from '../../platform/files/folder-lock.ts';
import { isInteractive } from '../../platform/terminal.ts';
import { systemTimer, waitAtMost } from '../../platform/timer.ts';
import { ownFolderOf } from '../call-folder.ts';
import type { Call } from '../command.ts';
import { beginLooking } from '../node/begin-looking.ts';
import { lastTaskClient } from '../node/last-task-client.ts';
import { openClient } from '../node/open-client.ts';
import { endOnFault } from '../output/end-on-fault.ts';
import { EventWake } from './event-wake.ts';
import type { WakingTimer } from './follow-order.ts';
import {
  NOT_ASKED,
  nextPlace,
  type OrderPlace,
  type PlaceAction,
  type PlaceEvent,
  type RequestedWork,
} from './order-place.ts';

/**
 * Connects to the node that will run the order; without one, this process is the node until the order is done. `offers`: orders that
 * were planned before; a node elsewhere plans them itself.
 */
export async function openOrderNode(call: Call, workspace: string, offers?: OrderOffers): Promise<OrderNode> {
  const dataFolder = ownFolderOf(call);
  const timer = systemTimer();
  const holder = await findHolder(dataFolder, timer);
  if (holder.kind === 'self' && !call.flags.detach) {
    if (offers !== undefined) return await serveOrder(call, holder.lock, { offers });
    const earlyLook = await beginLooking(workspace);
    await timer.breathe();
    return await serveOrder(call, holder.lock, { earlyLook });
  }
  if (holder.kind === 'self') {
    // The caller does not wait, so a node in the background runs the order.
    holder.lock.release();
    const { startNodeDetached } = await import('../node/start-node-detached.ts');
    await startNodeDetached(call, dataFolder);
  }
  return await nodeElsewhere(call, dataFolder);
}

async function carryAt(client: NodeClient, carried: RequestedWork): Promise<void> {
  if ('task' in carried) await client.carryTask(carried);
  else if ('session' in carried) await client.carrySession(carried);
  else await client.carryFeedback(carried);
}

/** The node that runs an order: a running one, or this process. */
export interface OrderNode {
  readonly client: NodeClient;
  /** This process is the node, perhaps because the first one went away: it must not exit before its runs have ended. */
  readonly isOurs: boolean;
  /** Has the node run it, and a node that takes its place as well. Events of `types`, or all, end pauses. */
  carry(carried: RequestedWork, types?: string): Promise<void>;
  /** Its pauses end early when something changes. */
  readonly timer: WakingTimer;
  close(): Promise<void>;
}

/** Makes this process the node until its order is over. */
async function serveOrder(call: Call, lock: FolderLock, begun: BegunOrders = {}): Promise<OrderNode> {
  const dataFolder = ownFolderOf(call);
  const [{ serveNode }, { nodeLogger }] = await Promise.all([
    import('../../node/serve-node.ts'),
    import('../node/start-node-detached.ts'),
  ]);
  const log = nodeLogger(dataFolder);
  const onFatal = (fault: Error) => endOnFault(fault, Boolean(call.flags.json));
  const place = { host: '127.0.0.1', port: 0 };
  const isAttended = isInteractive() && !call.flags.json;
  const how = { isServerLate: true, runsRequestedOnly: true, isAttended };
  const node = await serveNode({ dataFolder, place, log, lock, onFatal, ...how }, begun);
  const pause = (milliseconds: number) => waitAtMost(node.changed(), milliseconds);
  const client = lastTaskClient(call, dataFolder, node.client);
  const carry = (carried: RequestedWork) => carryAt(client, carried);
  return { client, isOurs: true, carry, timer: { pause }, close: () => node.stop() };
}

/** The node that carried the order was asked to stop, so this process does not take its place. */
export class NodeStopped extends Error {}

/** Another process runs the order; if it is killed before the order is over, this process takes its place. */
async function nodeElsewhere(call: Call, dataFolder: string): Promise<OrderNode> {
  const node = new NodeElsewhere(call, dataFolder);
  const client = await openClient(call, {
    openHere: (lock) => node.openHere(lock),
    onAgain: (again) => node.connectedAgain(again),
  });
  return node.of(client);
}

/** Performs the actions of `nextPlace`. */
class NodeElsewhere {
  readonly #call: Call;
  readonly #dataFolder: string;
  readonly #wake = new EventWake();
  #place: OrderPlace = NOT_ASKED;
  #own: OrderNode | null = null;

  constructor(call: Call, dataFolder: string) {
    this.#call = call;
    this.#dataFolder = dataFolder;
  }

  of(client: NodeClient): OrderNode {
    const isOurs = () => this.#place.kind === 'here';
    return {
      client,
      carry: async (work, types) => {
        this.#take({ kind: 'asked', asked: { work, types: types ?? null } });
        await this.#carry(client);
      },
      timer: this.#wake,
      get isOurs() {
        return isOurs();
      },
      close: async () => {
        this.#wake.close();
        await (this.#own ?? client).close();
      },
    };
  }

  async openHere(lock: FolderLock): Promise<NodeClient> {
    const { wasAskedToStop } = await import('../../node/ledger-guard.ts');
    // Before anything was asked, there may be no ledger to look at.
    const wasToldToStop = this.#place.asked !== null && wasAskedToStop(this.#dataFolder);
    const action = this.#take({ kind: 'node-gone', wasToldToStop });
    if (action === 'give-up') {
      lock.release();
      throw new NodeStopped();
    }
    this.#own = await serveOrder(this.#call, lock);
    this.#take({ kind: 'served' });
    return this.#own.client;
  }

  async connectedAgain(client: NodeClient): Promise<void> {
    try {
      if (this.#take({ kind: 'connected' }) === 'carry') await this.#carry(client);
    } catch (error) {
      // That node is gone as well: the next call connects again.
      if (!(error instanceof NodeFault)) throw error;
    }
  }

  #take(event: PlaceEvent): PlaceAction {
    const { place, action } = nextPlace(this.#place, event);
    this.#place = place;
    return action;
  }

  async #carry(client: NodeClient): Promise<void> {
    const { asked } = this.#place;
    if (asked === null) return;
    const { work, types } = asked;
    // Feedback has no events of its own to wake for: its call answers when something changed.
    if (!('feedback' in work)) void this.#wake.listen(client, { ...work, ...(types !== null && { type: types }) });
    await carryAt(client, work);
  }
}
