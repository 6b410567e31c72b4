import type { OrderRequest } from '../../domain/order-request.ts';
import { planOrderOnly } from '../../node/plan-order-only.ts';
import { answerOf } from '../answers.ts';
import { dataFolderOf } from '../call-folder.ts';
import type { Answer, Call } from '../command.ts';
import { fold } from '../output/fold.ts';
import { planText } from '../output/plan-text.ts';

/** The plan alone: nothing is made or started. */
export async function dryRun(call: Call, request: OrderRequest): Promise<Answer<unknown>> {
  const plan = await planOrderOnly(dataFolderOf(call), request);
  return answerOf(plan, {
    say: (value, look) => fold(planText(value, look), look.columns),
    next: () => 'nothing was done',
  });
}
