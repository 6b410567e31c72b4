import type { OrderPlan, RunTaskRequest } from '../domain/order/order-request.ts';
import type { Round } from '../domain/order/round.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import { decideRun, type RunDecision } from '../domain/task/decide-run.ts';
import { OPERATOR } from '../domain/task/decide-sender.ts';
import { isInterruptedRun } from '../domain/task/run.ts';
import type { Task, TaskName } from '../domain/task/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectAwaited } from '../ledger/statements/dependencies.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectExecution } from '../ledger/statements/run-facts.ts';
import { liveRunOf } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { findTask } from '../operations/task/find-task.ts';
import { beginByHand, retryTask } from '../operations/task/move-task.ts';
import { continueOrder, planAgain } from './continue-order.ts';
import { takeNextRound } from './ensure-order.ts';
import type { OrderWorld } from './order-world.ts';
import { planOrder } from './plan-order.ts';

export interface RunTaskParts {
  /** Whether this node runs the order of a task now. */
  isDriven(taskId: TaskName): boolean;
  readonly key?: string;
  /** Reports an order that is settled. */
  report(task: TaskName): Promise<void>;
  /** The plan of an order that another node has, or is to have again. */
  planSent(round: AskedRound, to: readonly string[]): Promise<OrderPlan>;
}

type AskedRound = Pick<Round, 'order' | 'provenance'> & { readonly task: Pick<Task, 'title'> };

/** A task that is to run, and its plan; null where the round that continues was planned before. */
export interface RunTask {
  readonly kind: 'runs';
  readonly task: Task;
  readonly plan: OrderPlan | null;
}

/** The plan of what `runTask` would begin. Changes nothing. */
export async function planRun(
  world: OrderWorld,
  request: RunTaskRequest,
  parts: Pick<RunTaskParts, 'isDriven' | 'planSent'>,
): Promise<OrderPlan | Refusal> {
  const found = decide(world, request, parts);
  if (isRefusal(found)) return found;
  const { task, decision } = found;
  if (decision.kind === 'follow-up') return await planAgain(world, { task: task.id });
  const sent = await planSentTask(world, task, parts);
  if (sent !== null) return sent;
  const going = decision.kind === 'resume' ? await planOpen(world, task) : null;
  if (going !== null) return going;
  const taken = await takeNextRound(world, task, request);
  return isRefusal(taken) ? world.edge.locate(taken, null) : { ...taken.plan, title: task.title };
}

/** Has a task run for an operator: its first round, the one that waits, another one, or a new task where it is done. */
export async function runTask(
  world: OrderWorld,
  request: RunTaskRequest,
  parts: RunTaskParts,
): Promise<RunTask | Refusal> {
  const { isDriven, key, report } = parts;
  const before = world.ledger.answerOnce<RunTask>(key, request);
  if (before !== null) return before;
  const found = decide(world, request, { isDriven });
  if (isRefusal(found)) return found;
  const { task, decision } = found;
  if (decision.kind === 'follow-up') {
    const continued = await continueOrder(world, { task: task.id }, { ...(key !== undefined && { key }), report });
    return isRefusal(continued) ? continued : { kind: 'runs', task: continued.task, plan: continued.plan };
  }
  const plan = await planRun(world, request, parts);
  if (decision.kind === 'resume') return { kind: 'runs', task, plan: isRefusal(plan) ? null : plan };
  if (isRefusal(plan)) return plan;
  const actor = OPERATOR;
  const { agent, checks } = request;
  // The choice of auto is recorded with the order.
  const chosen = plan.chosen === undefined ? plan.agent.name : (agent ?? task.routing.agent);
  const command: Command<RunTaskRequest, RunTask> = (tx) => {
    const about = { taskId: task.id, actor };
    const begun =
      decision.kind === 'first'
        ? beginByHand(tx, { ...about, agent: chosen, ...(checks && { checks }) })
        : retryTask(tx, about);
    return isRefusal(begun) ? begun : { kind: 'runs', task: begun.task, plan };
  };
  return await world.ledger.submitOnce(key, command, request);
}

type DecidedRun = { readonly kind: 'decided'; readonly task: Task; readonly decision: Exclude<RunDecision, Refusal> };

function decide(
  { ledger: { read } }: OrderWorld,
  request: RunTaskRequest,
  { isDriven }: Pick<RunTaskParts, 'isDriven'>,
): DecidedRun | Refusal {
  const task = findTask(read, request.task);
  if (isRefusal(task)) return task;
  const run = liveRunOf(read, task);
  const isInterrupted = run !== null && isInterruptedRun(run, isDriven(task.id));
  const isOrdered = selectOrder(read, task.id) !== null;
  const decision = decideRun({ ...task, isOrdered, isInterrupted });
  if (isRefusal(decision)) return decision;
  const refusal = refuseOpenDependency(read, task) ?? (isOrdered ? refuseFlags(task, request) : null);
  return refusal ?? { kind: 'decided', task, decision };
}

function refuseOpenDependency(read: Reader, task: Task): Refusal | null {
  const [awaited] = selectAwaited(read, task);
  if (awaited === undefined) return null;
  const { status = 'gone' } = selectTask(read, awaited) ?? {};
  const refusal = refuse('dependencies_open', `${task.id} waits for ${awaited}, which is ${status}`);
  return { ...refusal, hint: `baton run ${awaited} first` };
}

/** A further round is the same order; `baton continue` changes its agent and checks. */
function refuseFlags({ id }: Task, { agent, checks }: RunTaskRequest): Refusal | null {
  if (agent === undefined && checks === undefined) return null;
  const message = `${id} has run before, and its next round has the same agent and checks`;
  const hint = `baton run ${id}, or baton continue ${id} with another agent or other checks`;
  return { ...refuse('invalid_argument', message), hint };
}

/** The plan of a task that another node has, or is to have again; null for one that is run here. */
async function planSentTask(
  world: OrderWorld,
  task: Task,
  { planSent }: Pick<RunTaskParts, 'planSent'>,
): Promise<OrderPlan | null> {
  const row = selectOrder(world.ledger.read, task.id);
  const order = row && selectExecution(world.ledger.read, row).order;
  if (!row || !order?.remote) return null;
  const { to, needs } = order.remote;
  return await planSent({ order, provenance: row.provenance, task }, to.length > 0 ? to : needs);
}

/** The plan of a round that has begun; null if there is none. */
async function planOpen(world: OrderWorld, task: Task): Promise<OrderPlan | Refusal | null> {
  const { read } = world.ledger;
  const row = selectOrder(read, task.id);
  if (!row?.isOpen) return null;
  const { order, admitted, continues, snapshotted } = selectExecution(read, row);
  if (admitted === null) return null;
  const round = { order, provenance: row.provenance, admitted, ...(continues && { continues }) };
  const plan = await planOrder(world, round, { ledger: read, task });
  if (isRefusal(plan)) return plan;
  // It has its place already.
  const { kind: workplace } = snapshotted?.workplace ?? { kind: plan.workplace };
  return { ...plan, title: task.title, workplace, heldBy: snapshotted ? null : plan.heldBy };
}
