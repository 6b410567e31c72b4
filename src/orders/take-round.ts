import { refuseNeeds } from '../domain/order/admit-bounds.ts';
import type { Order } from '../domain/order/order.ts';
import type { OrderPlan } from '../domain/order/order-request.ts';
import { isOfProgram, type Round } from '../domain/order/round.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { RunHolder } from '../domain/task/channel.ts';
import type { Task, TaskName } from '../domain/task/task.ts';
import type { Reader } from '../ledger/tx.ts';
import { admitRound } from './admit.ts';
import type { OfferedRound } from './answer-offer.ts';
import { refuseFlags, refuseMissingAgent } from './order-terms.ts';
import { notesOn, planOrder } from './plan-order.ts';
import type { PlanWorld } from './plan-world.ts';
import { delegatedBy, depthOf } from './related-tasks.ts';

/** Facts about the task of an order that the rules need. */
interface RoundContext {
  /** Null where there is no ledger yet. */
  readonly ledger: Reader | null;
  /** The task of a further round; absent for a new one. */
  readonly task?: Pick<Task, 'id' | 'dependsOn'>;
  /** How many times it was delegated; absent where its parent tells. */
  readonly depth?: number;
  /** The run that gives out the order for its own task; absent for an operator. */
  readonly holder?: RunHolder | undefined;
  /** The task whose waiting work it is to bring in, and which may still have the folder. */
  readonly takesOver?: TaskName | undefined;
}

/** A round that may begin here; nothing of it is stored yet. */
export interface TakenRound extends Round {
  readonly admitted: NonNullable<Round['admitted']>;
  readonly plan: OrderPlan;
  readonly depth: number;
}

/** A round that may begin here as soon as somebody has allowed what it needs. */
export type PlannedRound = TakenRound & OfferedRound;

/**
 * Takes in an order, whoever gives it: admits and plans it by the same rules for a new order, a task of a session, a continued
 * task and one made by hand. Changes nothing; the caller stores what it answers.
 *
 * A round that the dispatcher begins by itself, of a task made by hand or retried, has no caller who could be refused or shown a
 * plan: it is stored as it was decided, its admission is a step of the run (`admitBegun`), and a refusal there is the outcome of
 * the task.
 */
export async function takeRound(
  world: PlanWorld,
  decided: Round,
  context: RoundContext,
): Promise<TakenRound | Refusal> {
  const planned = await planNextRound(world, decided, { ...context, isAttended: false });
  if (isRefusal(planned)) return planned;
  const { needs: _, ...taken } = planned;
  return taken;
}

/** The same for a caller who can ask a person: where `isAttended`, what the order needs beyond its bounds is told, not refused. */
export async function planNextRound(
  world: PlanWorld,
  decided: Round,
  { ledger, task, holder, takesOver, isAttended, ...known }: RoundContext & { readonly isAttended: boolean },
): Promise<PlannedRound | Refusal> {
  const refusal = refuseRequest(world, decided);
  if (refusal) return refusal;
  const order = ledger && holder ? delegatedBy(ledger, holder, decided.order) : decided.order;
  if (isRefusal(order)) return order;
  const depth = known.depth ?? depthOf(ledger, order);
  // Git works while the order is admitted; the plan reports what is wrong with the repository.
  const status = world.surroundings.repositoryStatus(order.workspaceRoot);
  status.catch(() => undefined);
  const admission = await admitRound(world, { ...decided, order }, depth);
  if (isRefusal(admission)) return admission;
  const { admitted, needs } = admission;
  const lacking = isAttended ? null : refuseNeeds(order, needs);
  if (lacking) return lacking;
  // The admission repeats the notes.
  const { notes: _, ...round } = decided;
  const plan = await planOrder(world, { ...round, order, admitted }, { ledger, task: task ?? null, status });
  if (isRefusal(plan)) return plan;
  const left = plan.heldBy === takesOver ? null : refuseLeftFolder(world, plan);
  if (left) return left;
  const isFurther = task !== undefined || round.continues !== undefined;
  const warnings = [...admitted.warnings, ...notesOn(order, plan, isFurther)];
  return { ...round, order: asPlanned(order, plan), admitted: { ...admitted, warnings }, plan, depth, needs };
}

/** A program names its agent in its own text. */
function refuseRequest(world: PlanWorld, round: Round): Refusal | null {
  const { request } = round;
  if (request === undefined) return null;
  return refuseFlags(request) ?? (isOfProgram(round) ? null : refuseMissingAgent(request, world.roster.settings()));
}

/** An order that waits for a folder would wait for ever where its holder was interrupted and this node does not carry it. */
function refuseLeftFolder({ workplaces }: PlanWorld, { heldBy, workplace, workspace }: OrderPlan): Refusal | null {
  if (workplace !== 'waits' || heldBy === null || workplaces.isCarried(heldBy as TaskName)) return null;
  const message = `${heldBy} was interrupted while it worked in ${workspace}, and still holds that folder`;
  const hint = `baton run ${heldBy} resumes it; baton task cancel ${heldBy} cancels it`;
  return { ...refuse('resource_busy', message), hint };
}

/** A caller who was told of a worktree gets one, even if the workspace is free again when the order starts. */
function asPlanned(order: Order, { workplace }: OrderPlan): Order {
  return workplace === 'worktree' ? { ...order, worktree: { ...order.worktree, isPlanned: true } } : order;
}
