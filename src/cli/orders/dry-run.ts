import type { OrderRequest } from '../../domain/order-request.ts';
import { planOrderOnly } from '../../node/plan-world-of.ts';
import { answerOf } from '../answers.ts';
import { dataFolderOf } from '../call-folder.ts';
import type { Answer, Call } from '../command.ts';
import { fold } from '../output/fold.ts';
import { planText } from '../output/plan-text.ts';

/** Answers with the plan only; creates and starts nothing. */
export async function dryRun(call: Call, request: OrderRequest): Promise<Answer<unknown>> {
  const plan = await planOrderOnly(dataFolderOf(call), request);
  return answerOf(plan, {
    say: (value, look) => fold(planText(value, look), look.columns),
    next: () => 'dry run: nothing was started',
  });
}
