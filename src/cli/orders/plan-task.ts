import { dirname } from 'node:path';
import type { TaskDetail } from '../../api/contract.ts';
import type { NodeClient } from '../../api/node-client.ts';
import type { OrderPlan } from '../../domain/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { checksOfTask } from '../../domain/task.ts';
import { findRepository } from '../../workspace/find-repository.ts';
import { dataFolderOf } from '../call-folder.ts';
import { type Call, flagText, flagTexts } from '../command.ts';
import { planWithAgent } from './plan-with-agent.ts';
import { agree } from './questions.ts';

interface PlannedTask {
  readonly plan: OrderPlan;
  readonly isPlanShown: boolean;
  readonly agent: string | null;
  readonly checks: string[];
}

/** Plans the first round as that of words, and asks what a person has to confirm. */
export async function planTask(call: Call, client: NodeClient, detail: TaskDetail): Promise<PlannedTask | Refusal> {
  const text = [detail.title, detail.body.trim()].filter(Boolean).join('\n\n');
  const agent = flagText(call, 'agent') ?? detail.agent;
  const checks = flagTexts(call, 'check') ?? checksOfTask(detail);
  const asked = {
    text,
    workspace: usualWorkspace(call),
    checks,
    ...(agent !== null && { agent }),
    origin: 'CLI' as const,
  };
  const { request, plan } = await planWithAgent(call, client, asked);
  if (isRefusal(plan)) return plan;
  const agreed = await agree(call, request, plan);
  const { agent: chosen = null, checks: accepted = [] } = agreed.request;
  return { plan, isPlanShown: agreed.isPlanShown, agent: chosen, checks: [...accepted] };
}

/** The folder of tasks that name none: the repository of the data folder, or the folder beside it. */
function usualWorkspace(call: Call): string {
  const beside = dirname(dataFolderOf(call));
  return findRepository(beside)?.root ?? beside;
}
