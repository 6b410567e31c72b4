import type { RunHolder } from '../../domain/channel.ts';
import { decideOrder } from '../../domain/decisions/decide-order.ts';
import type { OrderNotes } from '../../domain/execution/fact.ts';
import type { Order } from '../../domain/order.ts';
import type { OrderPlan } from '../../domain/order-request.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import type { AdmittedRound, Round } from '../../domain/round.ts';
import type { Task, TaskName } from '../../domain/task.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { PlanWorld } from '../plan-world.ts';
import { admitRound, NO_NOTES } from './admit.ts';
import type { OrderSource } from './order-source.ts';
import { refuseFlags, refuseMissingAgent } from './order-terms.ts';
import { notesOn, planOrder } from './plan-order.ts';
import { delegatedBy, depthOf } from './related-tasks.ts';
import type { EvidenceRouter } from './route-by-evidence.ts';

/** Further facts about an order that the rules need. */
export interface OrderContext {
  readonly router: EvidenceRouter;
  /** Null where there is no ledger yet. */
  readonly ledger: Reader | null;
  /** The task of a further round; absent for a new one. */
  readonly task?: Pick<Task, 'id' | 'dependsOn'>;
  readonly continues?: Round['continues'];
  /** How many times it was delegated; absent where its parent tells. */
  readonly depth?: number;
  /** The run that gives out the order for its own task; absent for an operator. */
  readonly holder?: RunHolder;
  /** The task whose waiting work it is to bring in, and which may still have the folder. */
  readonly takesOver?: TaskName;
}

/** An order that may run here, and what it will do; nothing of it is stored yet. */
export interface TakenOrder {
  readonly kind: 'taken';
  readonly round: AdmittedRound;
  readonly plan: OrderPlan;
  readonly depth: number;
}

/**
 * Takes in an order, whoever gives it: decides it, chooses its agent, admits it and plans it, by the same rules for a new
 * order, a task of a session, a continued task and one made by hand. Changes nothing; the caller stores what it answers.
 *
 * An order that the dispatcher begins by itself, of a task made by hand or retried, has no caller who could be refused or
 * shown a plan. Its source is decided by `decideRound` and stored; its admission is a step of the run (`admitRound`), and a
 * refusal there is the outcome of the task.
 */
export async function takeOrder(
  world: PlanWorld,
  source: OrderSource,
  context: OrderContext,
): Promise<TakenOrder | Refusal> {
  const decided = refuseSource(world, source) ?? decideRound(source, context.router);
  if (isRefusal(decided)) return decided;
  const { ledger, holder, task = null, continues, takesOver } = context;
  const order = ledger && holder ? delegatedBy(ledger, holder, decided.order) : decided.order;
  if (isRefusal(order)) return order;
  const depth = context.depth ?? depthOf(ledger, order);
  const begun = { ...decided, order, ...(continues && { continues }) };
  const admitted = await admitRound(world, begun, depth);
  if (isRefusal(admitted)) return admitted;
  // Its admission repeats the notes.
  const { notes: _, ...round } = begun;
  const plan = await planOrder(world, { ...round, admitted }, { ledger, task });
  if (isRefusal(plan)) return plan;
  const left = plan.heldBy === takesOver ? null : refuseLeftFolder(world, plan);
  if (left) return left;
  const warnings = [...admitted.warnings, ...notesOn(order, plan, task !== null || continues !== undefined)];
  const taken = { ...round, order: asPlanned(order, plan), admitted: { ...admitted, warnings } };
  return { kind: 'taken', round: taken, plan, depth };
}

function refuseSource(world: PlanWorld, source: OrderSource): Refusal | null {
  const { flags } = source;
  if (source.kind === 'as-before') return flags ? refuseFlags(flags) : null;
  return (
    refuseFlags(source.flags) ?? (source.text.isProgram ? null : refuseMissingAgent(source.flags, world.settings()))
  );
}

/** Decides the order and chooses its agent. A later round goes to the same agent. */
export function decideRound(source: OrderSource, router: EvidenceRouter): Round | Refusal {
  if (source.kind === 'as-before') {
    const { kind: _, flags, ...round } = source;
    return { ...round, ...(flags && { request: flags }) };
  }
  const { text, terms, flags } = source;
  const routed = router.decide(text, terms);
  if (isRefusal(routed)) return routed;
  const { order, routing } = routed;
  const request = routing === null ? flags : { ...flags, agent: routing.agent };
  return { ...roundOf(source, order), request, notes: { ...notesOf(source), ...(routing && { routing }) } };
}

/** The round of a source that no agent is ready for: its admission says so. */
export function undecidedRound(source: Extract<OrderSource, { readonly kind: 'text' }>): Round {
  return { ...roundOf(source, decideOrder(source.text, source.terms)), notes: notesOf(source) };
}

function notesOf({ text }: Extract<OrderSource, { readonly kind: 'text' }>): OrderNotes {
  return text.notes ?? NO_NOTES;
}

function roundOf({ text, flags }: Extract<OrderSource, { readonly kind: 'text' }>, order: Order): Round {
  return { order, provenance: text.provenance, message: text.message, request: flags };
}

/** An order that waits for a folder would wait for ever where its holder was interrupted and this node does not carry it. */
function refuseLeftFolder({ workplaces }: PlanWorld, { heldBy, workplace, workspace }: OrderPlan): Refusal | null {
  if (workplace !== 'waits' || heldBy === null || workplaces.isCarried(heldBy as TaskName)) return null;
  const message = `${heldBy} was interrupted while it worked in ${workspace}, and keeps that folder until it is over`;
  const hint = `baton run ${heldBy} goes on with it, baton task cancel ${heldBy} gives it up`;
  return { ...refuse('resource_busy', message), hint };
}

/** A caller who was told of a worktree gets one, even if the workspace is free again when the order starts. */
function asPlanned(order: Order, { workplace }: OrderPlan): Order {
  return workplace === 'worktree' ? { ...order, worktree: { ...order.worktree, isPlanned: true } } : order;
}
