import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { SessionPlan, SessionRequest } from '../../domain/session/session-request.ts';
import { planSessionOnly } from '../../node/plan-world-of.ts';
import { isWithoutLedger } from '../../platform/files/data-folder.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { seenFolderOf } from '../call-folder.ts';
import type { Answer, Call } from '../command.ts';
import { askNode } from '../node/open-client.ts';
import { sessionPlanText } from './session-text.ts';

/** Answers with the graph and the highest cost only; creates and starts nothing. */
export async function dryRunSession(call: Call, request: SessionRequest): Promise<Answer<unknown>> {
  const plan = await planOf(call, request);
  return answerOfCall(isRefusal(plan) ? plan : { ...plan, isDryRun: true }, {
    say: (value, style) => sessionPlanText(value, style),
    next: () => 'dry run: nothing was started',
  });
}

async function planOf(call: Call, request: SessionRequest): Promise<SessionPlan | Refusal> {
  const dataFolder = seenFolderOf(call);
  if (isWithoutLedger(dataFolder)) return await planSessionOnly(dataFolder, request);
  return await askNode(call, (client) => client.planSession(request));
}
