import { isToBeSent, type OrderPlan, type OrderRequest } from '../../domain/order/order-request.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { planOrderOnly } from '../../node/plan-world-of.ts';
import { OrderOffers } from '../../orders/order-offers.ts';
import { isWithoutLedger } from '../../platform/files/data-folder.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { seenFolderOf } from '../call-folder.ts';
import type { Answer, Call } from '../command.ts';
import { askNode } from '../node/open-client.ts';
import { planText } from './plan-text.ts';

/** Answers with the plan only; creates and starts nothing. */
export async function dryRunOrder(call: Call, request: OrderRequest): Promise<Answer<unknown>> {
  const plan = await planOf(call, request);
  return answerOfCall(plan, {
    say: planText,
    next: () => 'dry run: nothing was started',
  });
}

/** Planned as the run itself would be: by its node, which knows other orders, earlier results and dependencies. */
async function planOf(call: Call, request: OrderRequest): Promise<OrderPlan | Refusal> {
  const dataFolder = seenFolderOf(call);
  const isNew = isWithoutLedger(dataFolder);
  if (isNew && isToBeSent(request)) return refuse('not_joined', 'there is no node here yet');
  if (isNew) return await planOrderOnly(dataFolder, request, new OrderOffers());
  return await askNode(call, (client) => client.planOrder(request));
}
