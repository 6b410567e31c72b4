import { ORDER_OFFER_MS_MAX, ORDER_OFFERS_MAX } from '../domain/limits.ts';
import { refuseNeeds } from '../domain/order/admit-bounds.ts';
import type { OfferedPlan, OrderRequest } from '../domain/order/order-request.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { Reader } from '../ledger/tx.ts';
import { holderOfPlace } from '../work/place/find-workplace.ts';
import type { EarlyLook } from '../workspace/repository-status.ts';
import { planRequested, type TakenRequest } from './accept-order.ts';
import { answerOffer, needsForPerson } from './answer-offer.ts';
import type { PlanWorld } from './plan-world.ts';
import type { PlannedRound } from './take-round.ts';

/** Work for the first order of a node that began before there was the node. */
export interface BegunOrders {
  readonly offers?: OrderOffers;
  /** At the folder of the order. */
  readonly earlyLook?: EarlyLook;
}

interface Offer {
  readonly request: OrderRequest;
  readonly planned: PlannedRound & { readonly dependsOn: readonly TaskName[] };
  /** The task that had the folder of the order. */
  readonly holder: TaskName | null;
  /** By the monotonic clock. */
  readonly madeAtMs: number;
}

/**
 * Orders that were planned for a person who is asked about them: the answers are added to the order as it was planned. Each is given
 * once, and only to the request that it was made for.
 */
export class OrderOffers {
  readonly #offers = new Map<string, Offer>();

  /** Plans an order once, and tells what it needs. Changes nothing else. */
  async make(world: PlanWorld, request: OrderRequest, ledger: Reader | null): Promise<OfferedPlan | Refusal> {
    const planned = await planRequested(world, request, { ledger, isAttended: true });
    if (isRefusal(planned)) return planned;
    const id = `offer_${world.ids.ulid()}`;
    const madeAtMs = world.clock.now().monotonicMs;
    this.#offers.set(id, { request, planned, holder: holderOfPlace(world, planned.order), madeAtMs });
    for (const oldest of this.#offers.keys()) {
      if (this.#offers.size <= ORDER_OFFERS_MAX) break;
      this.#offers.delete(oldest);
    }
    const needs = needsForPerson(planned.order, planned.needs);
    const located = needs && { ...needs, refusal: world.edge.locate(needs.refusal, request.text) };
    return { ...planned.plan, offer: { id, needs: located } };
  }

  /**
   * The order of an offer with the answers of the person; refused where they leave something that it needs. Null where it has to be
   * planned anew: the offer is gone or old, another task took or left the folder, or the request is about something else.
   */
  take(world: PlanWorld, id: string, request: OrderRequest): TakenRequest | Refusal | null {
    const offer = this.#offers.get(id);
    this.#offers.delete(id);
    if (offer === undefined || world.clock.now().monotonicMs - offer.madeAtMs > ORDER_OFFER_MS_MAX) return null;
    if (holderOfPlace(world, offer.planned.order) !== offer.holder) return null;
    const answered = answerOffer(offer.planned, offer.request, request);
    if (answered === null) return null;
    const { needs, ...taken } = answered;
    const lacking = refuseNeeds(taken.order, needs);
    return lacking ? world.edge.locate(lacking, request.text) : taken;
  }
}
