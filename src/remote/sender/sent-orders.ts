import { ROUTE_RETRY_MS } from '../../domain/federation/federation-limits.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { holdersOf } from '../../domain/remote/sent-fact.ts';
import type { Federation } from '../../federation/federation.ts';
import { tellRecall } from '../../federation/tasks/recall-task.ts';
import { TransportFault } from '../../federation/transport.ts';
import { watchRemote } from '../../node/remote/watch-remote.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { recallOrder } from '../../operations/remote/watch-order.ts';
import type { RemoteEdge } from '../../orders/sent-order-edge.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import { bringRemote } from './bring-result.ts';
import { sendRemote } from './send-or-settle.ts';
import { type RemoteOrder, type RemoteParts, reached, remoteOrder } from './sender-parts.ts';

interface RemoteOrdersParts extends RemoteParts {
  readonly isBrief: boolean;
  federation(): Promise<Federation | Refusal>;
}

/** Orders that other nodes run, over the federation of this one. */
export class RemoteOrders implements RemoteEdge {
  readonly isBrief: boolean;
  readonly #parts: RemoteOrdersParts;
  /** Orders that found no route, and when they are routed again. */
  readonly #routedAgainMs = new Map<string, number>();

  constructor(parts: RemoteOrdersParts) {
    this.#parts = parts;
    this.isBrief = parts.isBrief;
  }

  readonly send: RemoteEdge['send'] = (order) =>
    this.#whileReached(order, async (federation, remote) => {
      const { clock } = this.#parts;
      const { id } = order.task;
      if ((this.#routedAgainMs.get(id) ?? 0) > clock.now().wallMs) return false;
      this.#routedAgainMs.delete(id);
      const sent = await sendRemote(this.#parts, federation, remote);
      if (!isRefusal(sent)) return sent;
      this.#routedAgainMs.set(id, clock.now().wallMs + ROUTE_RETRY_MS);
      return false;
    });

  readonly look: RemoteEdge['look'] = (order) =>
    this.#whileReached(order, (federation, remote) => watchRemote(this.#parts, federation, remote));

  readonly bring: RemoteEdge['bring'] = (order) =>
    this.#whileReached(order, (federation, remote) => bringRemote(this.#parts, federation, remote));

  readonly recall: RemoteEdge['recall'] = async (order, reason) => {
    const { ledger, federation } = this.#parts;
    const { remote, task } = remoteOrder(order);
    const nodes = holdersOf(remote);
    const joined = await federation();
    const corrId = remote.sent?.corrId ?? '';
    // A node that has left its federation can tell nobody.
    const tell = isRefusal(joined) ? () => {} : tellRecall(joined, { uid: task.uid, corrId, nodes, reason });
    crashPoint('federation.recall');
    const recalled = await ledger.submit(recallOrder, { taskId: task.id, nodes, reason, tell });
    crashPoint('federation.recalled');
    return !isRefusal(recalled);
  };

  /** A store that cannot be reached is no failure of the order: it is tried again. */
  async #whileReached(
    order: OpenOrder,
    work: (federation: Federation, order: RemoteOrder) => Promise<boolean>,
  ): Promise<boolean> {
    try {
      const federation = await reached(this.#parts.federation);
      return federation !== null && (await work(federation, remoteOrder(order)));
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error;
      return false;
    }
  }
}
