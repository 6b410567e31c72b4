import { isToBeSent, type OrderPlan, type OrderRequest } from '../../domain/order/order-request.ts';
import type { Refusal } from '../../domain/refusal.ts';
import { acceptOrder, planRequest } from '../../orders/accept-order.ts';
import { addressed } from '../../remote/sender/plan-sent-order.ts';
import type { OrderParts } from './order-records.ts';

type Options = NonNullable<Parameters<typeof acceptOrder>[2]>;

/** The plan of an order for this node, or for the one that its flags or its text name. */
export async function planAnywhere(
  { world, remote }: Pick<OrderParts, 'world' | 'remote'>,
  given: OrderRequest,
): Promise<OrderPlan | Refusal> {
  const request = addressed(world.edge, given);
  return isToBeSent(request) ? await remote.plan(request) : await planRequest(world, request, world.ledger.read);
}

/** Stores an order for this node, or for the one that its flags or its text name. */
export async function takeOrder(
  { world, remote }: Pick<OrderParts, 'world' | 'remote'>,
  given: OrderRequest,
  options: Options = {},
): ReturnType<typeof acceptOrder> {
  const request = addressed(world.edge, given);
  return isToBeSent(request) ? await remote.submit(request, options) : await acceptOrder(world, request, options);
}
