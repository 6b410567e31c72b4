import { judgeSessionRisks } from '../domain/order/judge-risks.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { PlannedMember, SessionPlan, SessionRequest } from '../domain/session/session-request.ts';
import type { Reader } from '../ledger/tx.ts';
import type { PlanWorld } from '../orders/plan-world.ts';
import { type TakenMember, takeSession } from './take-session.ts';

/** The plan of a session. Changes nothing; `ledger` may be absent. */
export async function planSessionRequest(
  world: PlanWorld,
  request: SessionRequest,
  ledger: Reader | null,
): Promise<SessionPlan | Refusal> {
  const taken = await takeSession(world, request, ledger);
  if (isRefusal(taken)) return taken;
  const { sessionId, terms, form, members } = taken;
  const plans = members.map(({ plan }) => plan);
  const tasks = members.map(plannedMember);
  const worst = tasks.reduce<number | null>(
    (sum, { worstUsd }) => (sum === null || worstUsd === null ? null : sum + worstUsd),
    0,
  );
  const caps = [worst, terms.costUsdMax].filter((cap) => cap !== null);
  return {
    sessionId,
    name: terms.name,
    pattern: terms.pattern,
    isProgram: form === 'messages',
    tasks,
    worstUsd: caps.length === 0 ? null : Math.min(...caps),
    budgetUsd: terms.costUsdMax,
    deadlineSeconds: terms.awakeSecondsMax,
    atOnce: terms.atOnceMax,
    risks: form === 'messages' ? [] : judgeSessionRisks(plans, terms.costUsdMax).map(({ note: _, ...risk }) => risk),
    warnings: [...new Set(plans.flatMap(({ warnings }) => warnings))],
  };
}

function plannedMember({ order, after, parent, plan, depth }: TakenMember): PlannedMember {
  const { title, agent, checks, workplace, budgetUsd, costsMoney, timeoutSeconds, retries } = plan;
  // A program of one's own may report costs, too: its cap is what it may cost at most.
  const worstUsd = budgetUsd ?? (costsMoney ? null : 0);
  return {
    id: order.taskId,
    title,
    agent: agent.name,
    ...(plan.chosen !== undefined && { chosen: plan.chosen }),
    after,
    parent,
    depth,
    checks,
    // Tasks of a session are run here.
    workplace: workplace === 'elsewhere' ? 'in-place' : workplace,
    worstUsd,
    timeoutSeconds,
    retries,
  };
}
