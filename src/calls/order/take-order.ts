import {
  isToBeSent,
  type OfferedPlan,
  type PlanOrderRequest,
  type SubmitOrderRequest,
} from '../../domain/order/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { acceptOrder, planRequest } from '../../orders/accept-order.ts';
import { addressed } from '../../remote/sender/plan-sent-order.ts';
import type { OrderParts } from './order-records.ts';

type Options = NonNullable<Parameters<typeof acceptOrder>[2]>;

/** The plan of an order for this node, or for the one that its flags or its text name. */
export async function planAnywhere(
  { world, remote, offers }: Pick<OrderParts, 'world' | 'remote' | 'offers'>,
  { isAttended = false, ...given }: PlanOrderRequest,
): Promise<OfferedPlan | Refusal> {
  const request = addressed(world.edge, given);
  if (isToBeSent(request)) return await remote.plan(request);
  const { read } = world.ledger;
  return isAttended ? await offers.make(world, request, read) : await planRequest(world, request, read);
}

/** Stores an order for this node, or for the one that its flags or its text name. */
export async function takeOrder(
  { world, remote, offers }: Pick<OrderParts, 'world' | 'remote' | 'offers'>,
  { offer, ...given }: SubmitOrderRequest,
  options: Options = {},
): ReturnType<typeof acceptOrder> {
  const request = addressed(world.edge, given);
  if (isToBeSent(request)) return await remote.submit(request, options);
  const agreed = offer === undefined ? null : offers.take(world, offer, request);
  if (isRefusal(agreed)) return agreed;
  return await acceptOrder(world, request, { ...options, agreed });
}
