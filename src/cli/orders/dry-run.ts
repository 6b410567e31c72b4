import type { OrderPlan, OrderRequest } from '../../domain/order-request.ts';
import type { Refusal } from '../../domain/refusal.ts';
import { planOrderOnly } from '../../node/plan-world-of.ts';
import { readLiveNode } from '../../platform/node-file.ts';
import { answerOf } from '../answer-of-call.ts';
import { seenFolderOf } from '../call-folder.ts';
import type { Answer, Call } from '../command.ts';
import { planText } from '../output/plan-text.ts';

/** Answers with the plan only; creates and starts nothing. */
export async function dryRun(call: Call, request: OrderRequest): Promise<Answer<unknown>> {
  const plan = await planOf(seenFolderOf(call), request);
  return answerOf(plan, {
    say: planText,
    next: () => 'dry run: nothing was started',
  });
}

/** A running node knows which orders work in the folder now. */
async function planOf(dataFolder: string, request: OrderRequest): Promise<OrderPlan | Refusal> {
  const node = readLiveNode(dataFolder);
  if (!node) return await planOrderOnly(dataFolder, request);
  const { httpClient } = await import('../../api/http/http-client.ts');
  return await httpClient(node).planOrder(request);
}
