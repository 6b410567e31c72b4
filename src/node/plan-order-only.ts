import { planRequest } from '../dispatch/orders/plan-order.ts';
import type { OrderPlan, OrderRequest } from '../domain/order-request.ts';
import type { Refusal } from '../domain/refusal.ts';
import { systemClock } from '../platform/clock.ts';
import { randomIds } from '../platform/ids.ts';
import { planWorldOf } from './plan-world-of.ts';

/** A plan without a node: no folder is created. */
export async function planOrderOnly(dataFolder: string, request: OrderRequest): Promise<OrderPlan | Refusal> {
  return await planRequest(planWorldOf({ dataFolder, clock: systemClock(), ids: randomIds() }), request, null);
}
