import type { OrderFlags } from '../domain/order/order-request.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { SessionReading, TaskFlags } from '../domain/session/session-file.ts';
import { planGraph } from '../domain/session/session-graph.ts';
import type { SessionRequest } from '../domain/session/session-request.ts';
import type { SessionTerms } from '../domain/session/session-terms.ts';
import type { Reader } from '../ledger/tx.ts';
import { taskFor } from '../orders/accept-order.ts';
import { lookOnce } from '../orders/look-once.ts';
import { refuseFlags, termsOf } from '../orders/order-terms.ts';
import type { PlanWorld } from '../orders/plan-world.ts';
import { knownMember } from '../orders/related-tasks.ts';
import { EvidenceRouter } from '../orders/route-by-evidence.ts';
import { type TakenRound, takeRound } from '../orders/take-round.ts';
import type { SessionOrder } from './submit-session.ts';

/** An order of a session that was taken in; nothing of it is stored yet. */
export type TakenMember = TakenRound & SessionOrder;

export interface TakenSession {
  readonly kind: 'taken';
  readonly sessionId: string;
  readonly terms: SessionTerms;
  readonly form: SessionReading['form'];
  readonly members: readonly TakenMember[];
}

/** Reads a session file, plans its graph and takes in the order of every task, or refuses it whole. Changes nothing. */
export async function takeSession(
  world: PlanWorld,
  request: SessionRequest,
  ledger: Reader | null,
): Promise<TakenSession | Refusal> {
  // Here, so that the refusal points into the request and not at its first task.
  const refusal = refuseFlags(flagsOf(request, null));
  if (refusal) return refusal;
  const reading = world.edge.readSession(request.text, {
    sessionId: `ses_${world.ids.ulid()}`,
    termsFor: (flags) => termsOf(world, flagsOf(request, flags)),
  });
  if (isRefusal(reading)) return reading;
  const members = await takeMembers(world, reading, { request, ledger });
  if (isRefusal(members)) return world.edge.locateInSession(members, reading.form);
  const { sessionId, form } = reading;
  return { kind: 'taken', sessionId, form, terms: boundedBy(reading, request), members };
}

interface Source {
  readonly request: SessionRequest;
  readonly ledger: Reader | null;
}

async function takeMembers(
  world: PlanWorld,
  { sessionId, terms, members, isWorktreeWanted }: SessionReading,
  { request, ledger }: Source,
): Promise<readonly TakenMember[] | Refusal> {
  const tasks = members.map(({ taskId, parentTaskId = null, dependsOn = null }) => ({
    id: taskId,
    parent: parentTaskId,
    after: dependsOn,
  }));
  const graph = planGraph(terms.pattern, tasks, (id) => knownMember(ledger, sessionId, id));
  if (graph.kind === 'refused-task') return { ...graph.refusal, member: graph.at };
  const taken: TakenMember[] = [];
  const seen = await lookOnce(world);
  const router = new EvidenceRouter(seen, ledger);
  const whole = { ...request, worktree: request.worktree ?? isWorktreeWanted ?? false };
  for (const [member, text] of members.entries()) {
    const flags = flagsOf(whole, text.flags ?? null);
    const round = router.decide(text, termsOf(seen, flags), flags);
    // The graph has counted the depth.
    const found = await takeRound(seen, round, { ledger, depth: 0 });
    if (isRefusal(found)) return { ...found, message: `${text.taskId}: ${found.message}`, member };
    const depth = graph.depths[member] ?? 0;
    const reviewRequired = request.reviewRequired ?? false;
    const { parentId: _, dependsOn: _waits, ...task } = taskFor({ ...found, depth }, { dependsOn: [], reviewRequired });
    taken.push({ ...found, depth, task, parent: found.order.parentTaskId, after: graph.after[member] ?? [] });
  }
  return taken;
}

/** The flags of one task: its own win over those of the session. The agent and the checks of a session are for tasks in words. */
function flagsOf(request: SessionRequest, own: TaskFlags | null): OrderFlags {
  const { text: _, budgetUsd: _budget, deadlineSeconds: _deadline, atOnce: _atOnce, agent, checks, ...flags } = request;
  if (own === null) return flags;
  return { ...flags, ...(agent !== undefined && { agent }), ...(checks && checks.length > 0 && { checks }), ...own };
}

/** The smaller of the caller's limits and those of the file. */
function boundedBy({ terms }: SessionReading, request: SessionRequest): SessionTerms {
  const smaller = (a: number | null, b: number | undefined) => (b === undefined ? a : Math.min(a ?? b, b));
  return {
    ...terms,
    costUsdMax: smaller(terms.costUsdMax, request.budgetUsd),
    awakeSecondsMax: smaller(terms.awakeSecondsMax, request.deadlineSeconds),
    atOnceMax: smaller(terms.atOnceMax, request.atOnce),
    checks: request.checks && request.checks.length > 0 ? request.checks : terms.checks,
  };
}
