import { planOf } from '../api/in-process/plan-of-order.ts';
import { takeRequest } from '../api/in-process/take-request.ts';
import type { OrderPlan, OrderRequest } from '../api/order-contract.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { systemClock } from '../platform/clock.ts';
import { randomIds } from '../platform/ids.ts';
import { planWorldOf } from './plan-world-of.ts';
import { hostsOf } from './run-settings.ts';

/** What would be done, asked of nobody: no folder is made and no node is needed. */
export async function planOrderOnly(dataFolder: string, request: OrderRequest): Promise<OrderPlan | Refusal> {
  const world = planWorldOf(dataFolder, systemClock());
  const taken = await takeRequest({ world, ids: randomIds(), hostsOf, read: null }, request);
  return isRefusal(taken) ? taken : await planOf(world, taken);
}
