import { ROUTE_RETRY_MS } from '../../domain/federation/federation-limits.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { holdersOf } from '../../domain/remote/sent-fact.ts';
import type { Federation } from '../../federation/federation.ts';
import { TransportFault } from '../../federation/transport.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import type { SentOrderEdge } from '../../orders/sent-order-edge.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import { ContentRequests } from '../content.ts';
import { bringResult } from './bring-result.ts';
import { sendOrSettle } from './send-or-settle.ts';
import { reached, type SenderParts, type SentOrder, sentOrder } from './sender-parts.ts';
import { recallOrder } from './watch-commands.ts';
import { watchSentOrder } from './watch-sent-order.ts';

interface SentOrdersParts extends SenderParts {
  readonly isBrief: boolean;
  federation(): Promise<Federation | Refusal>;
}

/** Orders that other nodes run, over the federation of this one. */
export class SentOrders implements SentOrderEdge {
  readonly isBrief: boolean;
  readonly #parts: SentOrdersParts;
  readonly #asks = new ContentRequests();
  /** Orders that found no route, and when they are routed again. */
  readonly #routedAgainMs = new Map<string, number>();

  constructor(parts: SentOrdersParts) {
    this.#parts = parts;
    this.isBrief = parts.isBrief;
  }

  readonly send: SentOrderEdge['send'] = (order) =>
    this.#whileReached(order, async (federation, remote) => {
      const { clock } = this.#parts;
      const { id } = order.task;
      if ((this.#routedAgainMs.get(id) ?? 0) > clock.now().wallMs) return false;
      this.#routedAgainMs.delete(id);
      const sent = await sendOrSettle(this.#parts, federation, remote);
      if (!isRefusal(sent)) return sent;
      this.#routedAgainMs.set(id, clock.now().wallMs + ROUTE_RETRY_MS);
      return false;
    });

  readonly look: SentOrderEdge['look'] = (order) =>
    this.#whileReached(order, (federation, remote) => watchSentOrder(this.#parts, federation, remote));

  readonly bring: SentOrderEdge['bring'] = (order) =>
    this.#whileReached(order, (federation, remote) =>
      bringResult({ ...this.#parts, asks: this.#asks }, federation, remote),
    );

  readonly recall: SentOrderEdge['recall'] = async (order, reason) => {
    const { ledger, federation } = this.#parts;
    const { remote, task } = sentOrder(order);
    const nodes = holdersOf(remote);
    const joined = await federation();
    const sender = isRefusal(joined) ? null : joined.sender;
    crashPoint('federation.recall');
    const recalled = await ledger.submit(recallOrder, { taskId: task.id, nodes, reason, sender });
    crashPoint('federation.recalled');
    return !isRefusal(recalled);
  };

  /** A store that cannot be reached is no failure of the order: it is tried again. */
  async #whileReached(
    order: OpenOrder,
    work: (federation: Federation, order: SentOrder) => Promise<boolean>,
  ): Promise<boolean> {
    try {
      const federation = await reached(this.#parts.federation);
      return federation !== null && (await work(federation, sentOrder(order)));
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error;
      return false;
    }
  }
}
