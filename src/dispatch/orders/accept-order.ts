import type { RunHolder } from '../../domain/channel.ts';
import { OPERATOR } from '../../domain/decisions/decide-sender.ts';
import type { Order } from '../../domain/order.ts';
import type { OrderPlan, OrderRequest } from '../../domain/order-request.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import type { AdmittedRound } from '../../domain/round.ts';
import type { TaskName } from '../../domain/task.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { CreatedTask, NewTask } from '../../operations/create-task.ts';
import { submitOrder } from '../../operations/order-rounds.ts';
import { handWorkOver } from '../../operations/record-work.ts';
import { forgetRepositoryStatus, recentRepositoryStatus } from '../../workspace/repository-status.ts';
import type { DecodedMessage } from '../order-edge.ts';
import type { PlanWorld } from '../plan-world.ts';
import type { RunWorld } from '../run-world.ts';
import { admitRound } from './admit.ts';
import { refuseMissingAgent, refuseRequest, termsOf } from './order-terms.ts';
import { notesOn, planOrder, titleOf } from './plan-order.ts';
import { delegatedBy, dependenciesOf, depthOf } from './related-tasks.ts';
import { askedFor, EvidenceRouter, withRouting } from './route-by-evidence.ts';

interface AcceptOptions {
  readonly key?: string;
  readonly holder?: RunHolder;
  readonly decoded?: DecodedMessage;
  /** The task whose waiting work this one is to bring in: whoever decides about this one decides about both. */
  readonly takesOver?: TaskName;
  /** Stores the order in its transaction. */
  readonly begin?: typeof submitOrder;
}

/** Stores the order of a request, or refuses it whole: nothing of a refused order is stored. */
export async function acceptOrder(
  world: RunWorld,
  request: OrderRequest,
  { key, holder, decoded, takesOver, begin = submitOrder }: AcceptOptions = {},
): Promise<(CreatedTask & { readonly plan: OrderPlan }) | Refusal> {
  const { ledger } = world;
  const source = { ledger: ledger.read, ...(holder && { holder }), ...(decoded && { decoded }) };
  const taken = await takeOrder(world, request, source);
  if (isRefusal(taken)) return world.edge.locate(taken, request.text);
  const plan = await planOrder(world, taken, { ledger: ledger.read, task: null });
  forgetRepositoryStatus();
  if (isRefusal(plan)) return plan;
  const left = plan.heldBy === takesOver ? null : refuseLeftFolder(world, plan);
  if (left) return left;
  const { order, admitted } = taken;
  const warnings = [...admitted.warnings, ...notesOn(order, plan)];
  const asked = { ...taken, order: asPlanned(order, plan), admitted: { ...admitted, warnings } };
  // Ids and time differ each time: a repeated request is recognized by what was asked for.
  const command: Command<OrderRequest, CreatedTask> = (tx) => {
    const created = begin(tx, asked);
    if (isRefusal(created) || takesOver === undefined) return created;
    return { ...created, events: [...created.events, ...handWorkOver(tx, takesOver, created)] };
  };
  const answer = await ledger.submitOnce(key, command, request);
  return isRefusal(answer) ? world.edge.locate(answer, request.text) : { ...answer, plan };
}

/** An order that waits for a folder would wait for ever where its holder was interrupted and this node does not carry it. */
function refuseLeftFolder({ workplaces }: PlanWorld, { heldBy, workplace, workspace }: OrderPlan): Refusal | null {
  if (workplace !== 'waits' || heldBy === null || workplaces.isCarried(heldBy as TaskName)) return null;
  const message = `${heldBy} was interrupted while it worked in ${workspace}, and keeps that folder until it is over`;
  const hint = `baton run ${heldBy} goes on with it, baton task cancel ${heldBy} gives it up`;
  return { ...refuse('resource_busy', message), hint };
}

/** The plan of a request. Changes nothing; `ledger` may be absent. */
export async function planRequest(
  world: PlanWorld,
  request: OrderRequest,
  ledger: Reader | null,
): Promise<OrderPlan | Refusal> {
  // Git works while the request is read; the plan reports what is wrong with the repository.
  recentRepositoryStatus(request.workspace, world.clock).catch(() => undefined);
  const taken = await takeOrder(world, request, { ledger });
  if (isRefusal(taken)) return world.edge.locate(taken, request.text);
  const plan = await planOrder(world, taken, { ledger, task: null });
  return isRefusal(plan) ? plan : (refuseLeftFolder(world, plan) ?? plan);
}

interface OrderSource {
  /** Null where there is no ledger yet. */
  readonly ledger: Reader | null;
  /** The run that gives out the order for its own task; absent for an operator. */
  readonly holder?: RunHolder;
  readonly decoded?: DecodedMessage;
}

/** Reads a request, decides its order and admits it. Changes nothing. */
async function takeOrder(
  world: PlanWorld,
  request: OrderRequest,
  { ledger, holder, decoded }: OrderSource,
): Promise<(AdmittedRound & { readonly task: NewTask }) | Refusal> {
  const refusal = refuseRequest(request);
  if (refusal) return refusal;
  await world.askVersions();
  const terms = termsOf(world, request);
  const read = world.edge.readOrder(request.text, terms, decoded);
  if (isRefusal(read)) return read;
  const unnamed = read.isProgram ? null : refuseMissingAgent(request, world.settings());
  if (unnamed) return unnamed;
  const routed = new EvidenceRouter(world, ledger).decide(read, terms);
  if (isRefusal(routed)) return routed;
  const order = ledger && holder ? delegatedBy(ledger, holder, routed.order) : routed.order;
  if (isRefusal(order)) return order;
  const depth = depthOf(ledger, order);
  const { provenance, message, dependsOn: waitsFor = null } = read;
  const dependsOn = dependenciesOf(ledger, { order, provenance, dependsOn: waitsFor });
  if (isRefusal(dependsOn)) return dependsOn;
  const found = await admitRound(world, { ...read, order }, depth);
  if (isRefusal(found)) return found;
  const admitted = withRouting(found, routed);
  const task = taskFor({ order, admitted }, { depth, dependsOn, reviewRequired: request.reviewRequired ?? false });
  const { text: _, ...flags } = request;
  const owned = holder ? { ...task, parentId: holder.taskId, createdBy: holder.agent } : task;
  return { order, provenance, message, request: askedFor(flags, routed), task: owned, admitted };
}

/** A caller who was told of a worktree gets one, even if the workspace is free again when the order starts. */
function asPlanned(order: Order, { workplace }: OrderPlan): Order {
  return workplace === 'worktree' ? { ...order, worktree: { ...order.worktree, isPlanned: true } } : order;
}

interface TaskTerms {
  /** How many times it was delegated. */
  readonly depth: number;
  readonly dependsOn: readonly TaskName[];
  readonly reviewRequired: boolean;
}

/** The task of an order. It needs no review unless the order asks for one: its checks decide. */
export function taskFor(
  { order, admitted }: Pick<AdmittedRound, 'order' | 'admitted'>,
  { depth, dependsOn, reviewRequired }: TaskTerms,
): NewTask {
  return {
    title: titleOf(order.objective),
    body: order.objective,
    priority: order.priority,
    agent: admitted.agent ?? admitted.alternatives.find((name) => name !== null) ?? null,
    role: null,
    team: null,
    tags: [],
    resource: null,
    parentId: null,
    dependsOn,
    metadata: { reviewRequired, ...(depth > 0 && { delegationDepth: depth }) },
    createdBy: OPERATOR,
  };
}
