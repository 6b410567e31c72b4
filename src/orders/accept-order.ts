import type { UnpackedParcel } from '../domain/order/order.ts';
import type { OrderPlan, OrderRequest } from '../domain/order/order-request.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { RunHolder } from '../domain/task/channel.ts';
import { OPERATOR } from '../domain/task/decide-sender.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import type { Reader } from '../ledger/tx.ts';
import { submitOrder } from '../operations/order/order-rounds.ts';
import { handWorkOver } from '../operations/order/record-work.ts';
import type { CreatedTask, NewTask } from '../operations/task/create-task.ts';
import type { DecodedMessage } from './order-edge.ts';
import { termsOf } from './order-terms.ts';
import type { OrderWorld } from './order-world.ts';
import { titleOf } from './plan-order.ts';
import type { PlanWorld } from './plan-world.ts';
import { dependenciesOf } from './related-tasks.ts';
import { EvidenceRouter } from './route-by-evidence.ts';
import { type PlannedRound, planNextRound, type TakenRound } from './take-round.ts';

interface AcceptOptions {
  readonly key?: string;
  readonly decoded?: DecodedMessage;
  /** The run that gives out the order for its own task; absent for an operator. */
  readonly holder?: RunHolder;
  /** The task whose waiting work this one is to bring in: whoever decides about this one decides about both. */
  readonly takesOver?: TaskName;
  /** The parcel in which the work of another node came. */
  readonly parcel?: UnpackedParcel;
  /** The order as it was planned for the person who agreed to it; null or absent: it is planned now. */
  readonly agreed?: TakenRequest | null;
  /** Stores the order in its transaction. */
  readonly begin?: typeof submitOrder;
}

/** Stores the order of a request, or refuses it whole: nothing of a refused order is stored. */
export async function acceptOrder(
  world: OrderWorld,
  request: OrderRequest,
  options: AcceptOptions = {},
): Promise<(CreatedTask & { readonly plan: OrderPlan }) | Refusal> {
  const { ledger } = world;
  const { key, holder, takesOver, begin = submitOrder } = options;
  const taken = options.agreed ?? (await takeRequest(world, request, { ...options, ledger: ledger.read }));
  if (isRefusal(taken)) return taken;
  const { plan, dependsOn, ...round } = taken;
  const { reviewRequired = holder === undefined && hasReviewer(taken.order) } = request;
  const task = taskFor(taken, { dependsOn, reviewRequired });
  const owned = holder ? { ...task, parentId: holder.taskId, createdBy: holder.agent } : task;
  // Ids and time differ each time: a repeated request is recognized by what was asked for.
  const command: Command<OrderRequest, CreatedTask> = (tx) => {
    const created = begin(tx, { ...round, task: owned });
    if (isRefusal(created) || takesOver === undefined) return created;
    return { ...created, events: [...created.events, ...handWorkOver(tx, takesOver, created)] };
  };
  const answer = await ledger.submitOnce(key, command, request);
  return isRefusal(answer) ? world.edge.locate(answer, request.text) : { ...answer, plan };
}

/** A policy that names who reviews is about all work, also where its checks pass. */
function hasReviewer({ settings }: TakenRound['order']): boolean {
  return (settings.review ?? null) !== null;
}

/** The plan of a request. Changes nothing; `ledger` may be absent. */
export async function planRequest(
  world: PlanWorld,
  request: OrderRequest,
  ledger: Reader | null,
): Promise<OrderPlan | Refusal> {
  const taken = await takeRequest(world, request, { ledger });
  return isRefusal(taken) ? taken : taken.plan;
}

/** A round of a request, and the tasks that it waits for. */
export type TakenRequest = TakenRound & { readonly dependsOn: readonly TaskName[] };

interface RequestContext extends Pick<AcceptOptions, 'decoded' | 'holder' | 'takesOver' | 'parcel'> {
  readonly ledger: Reader | null;
}

/** Reads a request and takes its order in. Changes nothing. */
async function takeRequest(
  world: PlanWorld,
  request: OrderRequest,
  context: RequestContext,
): Promise<TakenRequest | Refusal> {
  const planned = await planRequested(world, request, { ...context, isAttended: false });
  if (isRefusal(planned)) return planned;
  const { needs: _, ...taken } = planned;
  return taken;
}

/** Reads a request and plans its order. Changes nothing. */
export async function planRequested(
  world: PlanWorld,
  { text: given, ...flags }: OrderRequest,
  { ledger, holder, decoded, takesOver, parcel, isAttended }: RequestContext & { readonly isAttended: boolean },
): Promise<(PlannedRound & { readonly dependsOn: readonly TaskName[] }) | Refusal> {
  const located = (refusal: Refusal) => world.edge.locate(refusal, given);
  const terms = termsOf(world, flags);
  const text = world.edge.readOrder(given, terms, decoded);
  if (isRefusal(text)) return located(text);
  const dependsOn = dependenciesOf(ledger, text);
  if (isRefusal(dependsOn)) return located(dependsOn);
  const decided = new EvidenceRouter(world, ledger).decide(text, terms, flags);
  const round = parcel ? { ...decided, order: { ...decided.order, parcel } } : decided;
  const planned = await planNextRound(world, round, { ledger, holder, takesOver, isAttended });
  return isRefusal(planned) ? located(planned) : { ...planned, dependsOn };
}

interface TaskTerms {
  readonly dependsOn: readonly TaskName[];
  readonly reviewRequired: boolean;
}

/** The task of an order. It needs no review unless the order or the policy asks for one: its checks decide. */
export function taskFor(
  { order, admitted, depth }: Pick<TakenRound, 'order' | 'admitted' | 'depth'>,
  { dependsOn, reviewRequired }: TaskTerms,
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
