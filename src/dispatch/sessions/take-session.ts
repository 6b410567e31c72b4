import type { OrderFlags } from '../../domain/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { AdmittedRound } from '../../domain/round.ts';
import type { SessionReading, TaskFlags } from '../../domain/session-file.ts';
import { planGraph } from '../../domain/session-graph.ts';
import type { SessionRequest } from '../../domain/session-request.ts';
import type { SessionTerms } from '../../domain/session-terms.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { SessionOrder } from '../../operations/submit-session.ts';
import { taskFor } from '../orders/accept-order.ts';
import { admitRound } from '../orders/admit.ts';
import { refuseMissingAgent, refuseRequest, termsOf } from '../orders/order-terms.ts';
import { knownMember } from '../orders/related-tasks.ts';
import { askedFor, EvidenceRouter, withRouting } from '../orders/route-by-evidence.ts';
import type { PlanWorld } from '../plan-world.ts';

/** An admitted order of a session; nothing of it is stored yet. */
export interface TakenMember extends SessionOrder {
  /** How many times it was delegated. */
  readonly depth: number;
}

export interface TakenSession {
  readonly kind: 'taken';
  readonly sessionId: string;
  readonly terms: SessionTerms;
  readonly form: SessionReading['form'];
  readonly members: readonly TakenMember[];
}

/** Reads a session file, plans its graph and admits every task, or refuses it whole. Changes nothing. */
export async function takeSession(
  world: PlanWorld,
  request: SessionRequest,
  ledger: Reader | null,
): Promise<TakenSession | Refusal> {
  const refusal = refuseRequest(request);
  if (refusal) return refusal;
  await world.askVersions();
  const reading = world.edge.readSession(request.text, {
    sessionId: `ses_${world.ids.ulid()}`,
    termsFor: (flags) => termsOf(world, flagsOf(request, flags)),
  });
  if (isRefusal(reading)) return reading;
  const members = await admitMembers(world, reading, { request, ledger });
  if (isRefusal(members)) return world.edge.locateInSession(members, reading.form);
  const { sessionId, form } = reading;
  return { kind: 'taken', sessionId, form, terms: boundedBy(reading, request), members };
}

interface Source {
  readonly request: SessionRequest;
  readonly ledger: Reader | null;
}

async function admitMembers(
  world: PlanWorld,
  reading: SessionReading,
  source: Source,
): Promise<readonly TakenMember[] | Refusal> {
  const { sessionId, terms, members } = reading;
  const tasks = members.map(({ taskId, parentTaskId = null, dependsOn = null }) => ({
    id: taskId,
    parent: parentTaskId,
    after: dependsOn,
  }));
  const graph = planGraph(terms.pattern, tasks, (id) => knownMember(source.ledger, sessionId, id));
  if (graph.kind === 'refused-task') return { ...graph.refusal, member: graph.at };
  const taken: TakenMember[] = [];
  const router = new EvidenceRouter(world, source.ledger);
  for (const member of members.keys()) {
    const found = await admitMember(world, reading, { ...source, member, router });
    if (isRefusal(found)) return { ...found, message: `${members[member]?.taskId}: ${found.message}`, member };
    const depth = graph.depths[member] ?? 0;
    const reviewRequired = source.request.reviewRequired ?? false;
    const { parentId: _parent, dependsOn: _waits, ...task } = taskFor(found, { depth, dependsOn: [], reviewRequired });
    taken.push({ ...found, task, depth, parent: found.order.parentTaskId, after: graph.after[member] ?? [] });
  }
  return taken;
}

async function admitMember(
  world: PlanWorld,
  { members, isWorktreeWanted }: SessionReading,
  { request, member, router }: Source & { readonly member: number; readonly router: EvidenceRouter },
): Promise<AdmittedRound | Refusal> {
  const read = members[member];
  if (!read) throw new Error(`there is no task ${member} in the session`);
  const flags = flagsOf({ ...request, worktree: request.worktree ?? isWorktreeWanted ?? false }, read.flags ?? null);
  const unnamed = read.isProgram ? null : refuseMissingAgent(flags, world.settings());
  if (unnamed) return unnamed;
  const routed = router.decide(read, termsOf(world, flags));
  if (isRefusal(routed)) return routed;
  const { order } = routed;
  // The graph has counted the depth.
  const admitted = await admitRound(world, { ...read, order }, 0);
  if (isRefusal(admitted)) return admitted;
  const { provenance, message } = read;
  return { order, provenance, message, request: askedFor(flags, routed), admitted: withRouting(admitted, routed) };
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
