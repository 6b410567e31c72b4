import { type Execution, lastRun, replay } from '../domain/execution/execution.ts';
import type { Fact } from '../domain/execution/fact.ts';
import type { ContinueRequest, OrderFlags, OrderPlan } from '../domain/order/order-request.ts';
import type { Round } from '../domain/order/round.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { OPERATOR } from '../domain/task/decide-sender.ts';
import { delegationDepth, isReviewRequired, type Task, type TaskName } from '../domain/task/task.ts';
import { isTerminal } from '../domain/task/task-lifecycle.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { type OrderRow, selectOrder } from '../ledger/statements/orders.ts';
import { selectFacts } from '../ledger/statements/run-facts.ts';
import {
  type ContinuedOrder,
  continueTask,
  hasWait,
  leaveWait,
  refuseContinue,
} from '../operations/order/order-rounds.ts';
import { refuseUnordered } from '../operations/order/refuse-unordered.ts';
import type { CreatedTask } from '../operations/task/create-task.ts';
import { findTask } from '../operations/task/find-task.ts';
import { presentWorkspace } from '../work/recorded-workspace.ts';
import { roundAgain } from './further-round.ts';
import type { OrderWorld } from './order-world.ts';
import { placeAgain } from './place-again.ts';
import { titleOf } from './plan-order.ts';
import { EvidenceRouter } from './route-by-evidence.ts';
import { type TakenRound, takeRound } from './take-round.ts';

interface ContinueOptions {
  readonly key?: string;
  report(task: TaskName): Promise<void>;
  /** Whoever continues it; the operator if absent. */
  readonly actor?: string;
  /** Begins the round in its transaction; by default for an operator who continues it. */
  readonly begin?: Command<ContinuedOrder, CreatedTask>;
}

type PlannedTask = CreatedTask & { readonly plan: OrderPlan };

/**
 * Continues a task that is over, or that waits for its next attempt, for an operator. Nothing of a refused request is stored.
 * `report` reports an order that is settled.
 */
export async function continueOrder(
  world: OrderWorld,
  request: ContinueRequest,
  { key, report, actor = OPERATOR, begin = continueTask }: ContinueOptions,
): Promise<PlannedTask | Refusal> {
  const { ledger, edge } = world;
  const before = ledger.answerOnce<PlannedTask>(key, request);
  if (before !== null) return before;
  const earlier = await earlierRound(world, request.task);
  if (isRefusal(earlier)) return earlier;
  const taken = await takeContinued(world, earlier, request);
  if (isRefusal(taken)) return edge.locate(taken, null);
  const { plan, ...round } = taken;
  const about = followUpOf(earlier, round, titleOf(request.text ?? earlier.task.title));
  const task = { ...about, agent: round.admitted.agent, createdBy: actor };
  const asked: ContinuedOrder = { ...round, task, actor };
  if (earlier.row.isOpen) {
    const left = await ledger.submit(leaveWait, asked);
    if (isRefusal(left)) return left;
    await report(earlier.task.id);
  }
  // Ids and time differ each time: a repeated request is recognized by what was asked for.
  const command: Command<ContinueRequest, PlannedTask> = (tx) => {
    const begun = begin(tx, asked);
    return isRefusal(begun) ? begun : { ...begun, plan };
  };
  const answer = await ledger.submitOnce(key, command, request);
  return isRefusal(answer) ? edge.locate(answer, null) : answer;
}

/** The plan of a round that continues a task. Changes nothing. */
export async function planAgain(world: OrderWorld, request: ContinueRequest): Promise<OrderPlan | Refusal> {
  const task = findTask(world.ledger.read, request.task);
  if (isRefusal(task)) return task;
  if (selectOrder(world.ledger.read, task.id) === null) return refuseUnordered(world.ledger.read, task);
  const newest = await newestRound(world, task);
  if (isRefusal(newest)) return newest;
  const taken = await takeContinued(world, newest, { ...request, task: task.id });
  return isRefusal(taken) ? world.edge.locate(taken, null) : { ...taken.plan, title: task.title };
}

/** Takes in the round that continues an earlier one. */
export async function takeContinued(
  world: OrderWorld,
  earlier: EarlierRound,
  request: ContinueRequest,
): Promise<(TakenRound & Pick<ContinuedOrder, 'continues'>) | Refusal> {
  const { task } = earlier;
  const round = continuedRound(world, earlier, request);
  const context = { ledger: world.ledger.read, depth: delegationDepth(task) };
  // A task in a final status stays as it is, and a new one continues it.
  const taken = await takeRound(world, round, { ...context, ...(!isTerminal(task.status) && { task }) });
  return isRefusal(taken) ? taken : { ...taken, continues: round.continues };
}

/** A task with the newest round of its order, which is over. */
export interface EarlierRound {
  readonly task: Task;
  readonly row: OrderRow;
  readonly ordered: Extract<Fact, { readonly kind: 'ordered' }>;
  readonly execution: Execution;
  /** With the workspace at its present place. */
  readonly flags: OrderFlags;
}

export async function earlierRound(
  { ledger, dataFolder }: OrderWorld,
  reference: string,
): Promise<EarlierRound | Refusal> {
  const { read } = ledger;
  const task = findTask(read, reference);
  if (isRefusal(task)) return task;
  const refusal = hasWait(read, task) ? null : refuseContinue(read, task);
  return refusal ?? (await newestRound({ ledger, dataFolder }, task));
}

/** The newest round, which may still wait or run. */
async function newestRound(
  { ledger, dataFolder }: Pick<OrderWorld, 'ledger' | 'dataFolder'>,
  task: Task,
): Promise<EarlierRound | Refusal> {
  const { read } = ledger;
  const row = selectOrder(read, task.id);
  const facts = row === null ? [] : selectFacts(read, row);
  const [ordered] = facts;
  if (row === null || ordered?.kind !== 'ordered') throw new Error(`${task.id} has a round without an order`);
  const execution = replay(facts);
  const workspaceRoot = ordered.request?.workspace ?? execution.order.workspaceRoot;
  const workspace = await presentWorkspace({ workspaceRoot, isBound: row.provenance !== null }, execution, dataFolder);
  if (isRefusal(workspace)) return workspace;
  return { task, row, ordered, execution, flags: { ...ordered.request, workspace } };
}

/** The same order with the flags that the request changes, by the agent that worked last unless another is named. */
function continuedRound(
  world: OrderWorld,
  { task, row, ordered, execution, flags: given }: EarlierRound,
  request: ContinueRequest,
): Round & Pick<ContinuedOrder, 'continues'> {
  // Work of another node is here by now, and continues here.
  const { on: _on, needs: _needs, deadlineSeconds: _deadline, ...before } = given;
  const { task: _, text = null, agent = lastRun(execution)?.agent ?? before.agent, ...changed } = request;
  const place = placeAgain(task, execution);
  const flags: OrderFlags = { ...before, ...changed, ...(agent && { agent }), ...place.flags };
  const router = new EvidenceRouter(world, world.ledger.read);
  const again = roundAgain(world, router, { ordered, execution, provenance: row.provenance, flags });
  const continues = {
    task: task.id,
    round: row.round,
    words: text,
    isInWorktree: place.isInWorktree,
    isTakenBack: place.isGone || execution.rolledBack !== null,
    ...rewoundTo(execution),
  };
  return { ...again, continues };
}

/** Nothing where the files are as the last run left them, or its checks. */
function rewoundTo({ rewound, snapshotted, attempts }: Execution): Pick<ContinuedOrder['continues'], 'rewoundTo'> {
  const last = attempts.findLast(({ collected }) => collected?.commit);
  if (!rewound || [last?.collected?.commit, last?.verified?.commit].includes(rewound.commit)) return {};
  if (rewound.turnIndex !== null) return { rewoundTo: `right after turn ${rewound.turnIndex}, counted from 0` };
  return { rewoundTo: rewound.commit === snapshotted?.commit ? 'before that work' : 'in the middle of that work' };
}

/** The task that continues one in a final status. */
function followUpOf(
  { task }: EarlierRound,
  { order, continues: { words } }: Pick<ContinuedOrder, 'order' | 'continues'>,
  title: string,
): Omit<ContinuedOrder['task'], 'agent' | 'createdBy'> {
  return {
    title,
    body: [`Continues ${task.id}: ${task.title}`, ...(words === null ? [] : [words])].join('\n\n'),
    priority: order.priority,
    role: null,
    team: null,
    tags: [],
    resource: null,
    parentId: null,
    dependsOn: [],
    metadata: { reviewRequired: isReviewRequired(task), continues: task.id },
  };
}
