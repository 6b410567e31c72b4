import type { OrderFlags } from '../../domain/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { SessionReading, TaskFlags } from '../../domain/session-file.ts';
import { planGraph } from '../../domain/session-graph.ts';
import type { SessionRequest } from '../../domain/session-request.ts';
import type { SessionTerms } from '../../domain/session-terms.ts';
import type { Reader } from '../../ledger/tx.ts';
import { admitStep } from '../orders/admit.ts';
import { refuseMissingAgent, refuseRequest, termsOf } from '../orders/order-terms.ts';
import { knownMember } from '../orders/related-tasks.ts';
import type { AdmittedOrder } from '../orders/take-order.ts';
import type { PlanWorld } from '../plan-world.ts';

/** An admitted task of a session; nothing of it is stored yet. */
export interface TakenMember extends AdmittedOrder {
  readonly parent: string | null;
  /** The sender's names of the tasks that it waits for. */
  readonly after: readonly string[];
  /** The flags that it was decided by. */
  readonly flags: OrderFlags;
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
  const tasks = members.map(({ order, dependsOn }) => ({
    id: order.taskId,
    parent: order.parentTaskId,
    after: dependsOn,
  }));
  const graph = planGraph(terms.pattern, tasks, (id) => knownMember(source.ledger, sessionId, id));
  if (graph.kind === 'refused-task') return { ...graph.refusal, member: graph.at };
  const taken: TakenMember[] = [];
  for (const member of members.keys()) {
    const found = await admitMember(world, reading, { ...source, member });
    if (isRefusal(found)) return { ...found, member };
    const depth = graph.depths[member] ?? 0;
    taken.push({ ...found, depth, parent: found.order.parentTaskId, after: graph.after[member] ?? [] });
  }
  return taken;
}

async function admitMember(
  world: PlanWorld,
  { members, isWorktreeWanted }: SessionReading,
  { request, member }: Source & { readonly member: number },
): Promise<Omit<TakenMember, 'parent' | 'after'> | Refusal> {
  const read = members[member];
  if (!read) throw new Error(`there is no task ${member} in the session`);
  const { provenance, message, isProgram, warnings } = read;
  const flags = flagsOf({ ...request, worktree: request.worktree ?? isWorktreeWanted ?? false }, read.flags ?? null);
  const settings = world.settings();
  const unnamed = isProgram ? null : refuseMissingAgent(flags, settings);
  if (unnamed) return unnamed;
  const order = { ...read.order, worktree: { ...read.order.worktree, isWanted: flags.worktree ?? false } };
  // The graph has counted the depth.
  const admitted = await admitStep(world, { order, depth: 0, warnings });
  if (isRefusal(admitted)) return admitted;
  const agent = settings.agents.find(({ name }) => name === admitted.agent);
  const atMs = world.clock.now().wallMs;
  const fallback = world.edge.noteLackingV2({ order, message, agent, alternative: null, atMs });
  return { order, provenance, message, isProgram, depth: 0, dependsOn: [], admitted: { ...admitted, fallback }, flags };
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
