import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { SessionPlan, SessionRequest } from '../../domain/session-request.ts';
import { planSessionOnly } from '../../node/plan-world-of.ts';
import { readLiveNode } from '../../platform/node-file.ts';
import { answerOf } from '../answer-of-call.ts';
import { seenFolderOf } from '../call-folder.ts';
import type { Answer, Call } from '../command.ts';
import { sessionPlanText } from '../output/session-text.ts';

/** Answers with the graph and the highest cost only; creates and starts nothing. */
export async function dryRun(call: Call, request: SessionRequest): Promise<Answer<unknown>> {
  const plan = await planOf(seenFolderOf(call), request);
  return answerOf(isRefusal(plan) ? plan : { ...plan, isDryRun: true }, {
    say: (value, style) => sessionPlanText(value, style),
    next: () => 'dry run: nothing was started',
  });
}

async function planOf(dataFolder: string, request: SessionRequest): Promise<SessionPlan | Refusal> {
  const node = readLiveNode(dataFolder);
  if (!node) return await planSessionOnly(dataFolder, request);
  const { httpClient } = await import('../../api/http/http-client.ts');
  return await httpClient(node).planSession(request);
}
