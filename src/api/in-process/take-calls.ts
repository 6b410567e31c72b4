import type { RunWorld } from '../../dispatch/run-world.ts';
import type { TakenOrder } from '../../dispatch/take-order.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { type Submitted, submitOrder } from '../../operations/submit-order.ts';
import type { OrderAnswer, OrderPlan, OrderRequest } from '../order-contract.ts';
import type { CallOptions } from '../task-view.ts';
import { viewTask } from '../views.ts';
import { planOf } from './plan-of-order.ts';
import { submissionOf } from './submission-of-order.ts';
import { submit } from './submit.ts';
import { type RequestParts, takeRequest } from './take-request.ts';

export interface TakeParts extends Omit<RequestParts, 'read'> {
  readonly world: RunWorld;
}

export async function planWanted(parts: TakeParts, request: OrderRequest): Promise<OrderPlan | Refusal> {
  const taken = await take(parts, request);
  return isRefusal(taken) ? taken : await planOf(parts.world, taken);
}

/** Takes the order, for whoever follows it. */
export async function submitWanted(
  parts: TakeParts,
  request: OrderRequest,
  options: CallOptions = {},
): Promise<OrderAnswer | Refusal> {
  const answer = await orderWanted(parts, request, options);
  return isRefusal(answer) ? answer : { task: viewTask(answer.task), plan: answer.plan };
}

/** Takes the order, or refuses it whole: nothing is kept of what is not admitted. */
export async function orderWanted(
  parts: TakeParts,
  request: OrderRequest,
  options: CallOptions = {},
): Promise<(Submitted & { readonly plan: OrderPlan }) | Refusal> {
  const taken = await take(parts, request);
  if (isRefusal(taken)) return taken;
  const plan = await planOf(parts.world, taken);
  if (isRefusal(plan)) return plan;
  const answer = await keep(parts, { taken, plan, request }, options);
  return isRefusal(answer) ? answer : { ...answer, plan };
}

interface Taken {
  readonly taken: TakenOrder;
  readonly plan: OrderPlan;
  readonly request: OrderRequest;
}

async function keep(
  { world }: TakeParts,
  { taken, plan, request }: Taken,
  options: CallOptions,
): Promise<Submitted | Refusal> {
  const facts = submissionOf(taken, plan, request.reviewRequired ?? false);
  // Ids and time are made anew each time: the same request again is known by what was asked for.
  const command: Command<OrderRequest, Submitted> = (tx) => submitOrder(tx, facts);
  return await submit(world.ledger, { command, facts: request }, options);
}

async function take({ world, ids, hostsOf }: TakeParts, request: OrderRequest): Promise<TakenOrder | Refusal> {
  return await takeRequest({ world, ids, hostsOf, read: world.ledger.read }, request);
}
