import type { Order } from '../../domain/order/order.ts';
import type { Round } from '../../domain/order/round.ts';
import type { RoutingChoice } from '../../domain/order/route-order.ts';
import { isRefusal, type Refusal, refuse, refuseField, refuseTask } from '../../domain/refusal.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import { isTerminal, wayTo } from '../../domain/task/task-lifecycle.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { openDependencies } from '../../ledger/statements/dependencies.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { insertSentTask } from '../../ledger/statements/federation/sent-tasks.ts';
import { insertOrder, type OrderRow, selectOrder, selectOrderedTask } from '../../ledger/statements/orders.ts';
import { insertFact, selectExecution } from '../../ledger/statements/run-facts.ts';
import { selectTask, updateTaskDue, updateTaskFields, updateTaskOrder } from '../../ledger/statements/tasks.ts';
import type { Reader, Tx } from '../../ledger/tx.ts';
import { type CreatedTask, createTask, draftOf, type NewTask, storeTask } from '../task/create-task.ts';
import { readDependency } from '../task/read-dependency.ts';
import { type TaskChange, transition, transitions } from '../task/transition.ts';
import { writeFact } from './open-order.ts';
import { handWorkOver } from './record-work.ts';
import { refuseUnordered } from './refuse-unordered.ts';
import { joinSession, refuseStopping } from './session-facts.ts';
import { abandonOrder } from './stop-order.ts';

/** Begins a round of a task that was made by hand or is retried. */
export const orderTask: Command<Round & { readonly taskId: TaskName }, TaskChange> = (tx, { taskId, ...round }) => {
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  if (task.status !== 'ready')
    return refuseTask('invalid_transition', `${taskId} is ${task.status}, not ready`, taskId);
  if (selectOrder(tx, taskId)?.isOpen) return refuse('already_claimed', `${taskId} is already running`);
  const { routing } = round.notes ?? {};
  const routed = routing ? routeTo(tx, task, routing) : { task, events: [] };
  beginRound(tx, routed.task, round);
  return routed;
};

/** Assigns the task to the chosen agent. */
function routeTo(tx: Tx, task: Task, { agent, reason }: RoutingChoice): TaskChange {
  const updatedAt = tx.moment.now.wallMs;
  const routed = { ...task, routing: { ...task.routing, agent }, revision: task.revision + 1, updatedAt };
  updateTaskFields(tx, routed, openDependencies(tx, task.id));
  const payload = { fields: ['routing'], reason };
  return {
    task: routed,
    events: [insertEvent(tx, { type: 'task.edited', actor: 'dispatcher', taskId: task.id, payload })],
  };
}

/** The next round of a task: its row, the order as its first fact, and its admission where that is decided already. */
export function beginRound(
  tx: Tx,
  task: Task,
  { order, provenance, message, request, notes, continues, admitted }: Round,
): TaskChange {
  const round = (selectOrder(tx, task.id)?.round ?? 0) + 1;
  const at = tx.moment.now.wallMs;
  const { sessionId, taskId: senderTaskId } = order;
  const row: OrderRow = { taskId: task.id, round, sessionId, senderTaskId, provenance, at, isOpen: true };
  insertOrder(tx, row, task.status);
  const read = message !== undefined && { message };
  const beside = { ...read, ...(request && { request }), ...(notes && { notes }), ...(continues && { continues }) };
  insertFact(tx, row, { kind: 'ordered', order, ...beside, at });
  if (order.remote) insertSentTask(tx, { task, round, deadlineAt: order.remote.deadlineAt });
  const ordered = { ...task, sessionId, work: null };
  if (task.sessionId !== sessionId || task.work !== null) updateTaskOrder(tx, ordered);
  return { task: ordered, events: admitted ? [writeFact(tx, { task: ordered, order: row }, admitted)] : [] };
}

/** Stores an order: its task, ready to be claimed, and its first facts, in one commit. */
export const submitOrder: Command<Round & { readonly task: NewTask }, CreatedTask> = (
  tx,
  { task: asked, ...round },
) => {
  const { order } = round;
  const refusal = refuseRepeated(tx, order) ?? refuseStopping(tx, order.sessionId);
  if (refusal) return refusal;
  // The states that the caller has seen may be older than this transaction.
  const needed = asked.dependsOn.map((needs) => ({ needs, state: readDependency(tx, needs, true) }));
  const lost = needed.find(({ state }) => state === 'failed');
  if (lost) return refuse('dependency-failed', `${lost.needs}, which it depends on, failed meanwhile`);
  const dependsOn = needed.filter(({ state }) => state !== 'met').map(({ needs }) => needs);
  const created = createTask(tx, { ...asked, dependsOn, sessionId: order.sessionId });
  if (isRefusal(created)) return created;
  const begun = beginRound(tx, created.task, round);
  const events = [...created.events, ...begun.events, ...joinSession(tx, begun.task, order)];
  const waits = begun.task.dependsOn.length > 0;
  if (waits) return { task: begun.task, events };
  const ready = transition(tx, begun.task, { to: 'ready', actor: 'dispatcher', reason: 'ordered' });
  return { task: ready.task, events: [...events, ...ready.events] };
};

/** Stores the task of an order in backlog under this name, with the first facts of its round. The caller has checked it. */
export function storeOrder(
  tx: Tx,
  { task: asked, ...round }: Round & { readonly task: NewTask },
  name: TaskName,
): void {
  const task = draftOf(tx, { ...asked, sessionId: round.order.sessionId }, name);
  storeTask(tx, task, task.dependsOn.length);
  beginRound(tx, task, round);
}

/** aop:repeated-task: refuses a task of the same name while it is open; null for any other. */
export function refuseRepeated(tx: Reader, { sessionId, taskId }: Pick<Order, 'sessionId' | 'taskId'>): Refusal | null {
  const earlier = selectOrderedTask(tx, sessionId, taskId);
  if (earlier === null || !isUnderWay(tx, earlier)) return null;
  const message = `${taskId} of ${sessionId} is already running as ${earlier}`;
  return refuseField('already_claimed', message, { kind: 'task-id' });
}

function isUnderWay(tx: Reader, taskId: TaskName): boolean {
  const task = selectTask(tx, taskId);
  return task !== null && !isTerminal(task.status) && selectOrder(tx, taskId)?.isOpen === true;
}

/** An order that continues earlier work. Its `task` is created only if the earlier one is in a final status. */
export interface ContinuedOrder extends Round {
  readonly task: NewTask;
  readonly continues: NonNullable<Round['continues']>;
  readonly actor: string;
}

/** Begins another round of a task. One in a final status stays as it is, and a new task continues (aof:continue). */
export const continueTask: Command<ContinuedOrder, TaskChange> = (tx, { actor, ...order }) => {
  const { continues } = order;
  const task = selectTask(tx, continues.task);
  if (!task) return refuse('task_not_found', `there is no task ${continues.task}`);
  const refusal = refuseContinue(tx, task);
  if (refusal) return refusal;
  if (!isTerminal(task.status)) return nextRound(tx, task, { actor, ...order });
  const created = submitOrder(tx, order);
  if (isRefusal(created) || !continues.isInWorktree) return created;
  return { ...created, events: [...created.events, ...handWorkOver(tx, task.id, created)] };
};

/** Refuses to continue a task that is running, or that another one already continues; null for any other. */
export function refuseContinue(ledger: Reader, task: Task): Refusal | null {
  const { id, status, work } = task;
  const order = selectOrder(ledger, id);
  if (order === null) return refuseUnordered(ledger, task);
  if (order.isOpen || status === 'in-progress') {
    const hint = `baton say ${id} TEXT tells its agent something, baton stop ${id} ends it`;
    return { ...refuse('already_claimed', `${id} is already running`), hint };
  }
  if (work !== 'continued') return null;
  const hint = `baton task show ${id} shows the task that continues it`;
  return { ...refuse('invalid_argument', `another task already continues ${id}`), hint };
}

function nextRound(tx: Tx, earlier: Task, { task, actor, ...round }: ContinuedOrder): TaskChange {
  const moved = transitions(tx, earlier, {
    through: wayTo(earlier.status, 'ready') ?? [],
    actor,
    reason: reasonOf(round.continues.words),
    with: { runId: null, reclaims: 0 },
  });
  const routed = { ...moved.task, routing: { ...earlier.routing, agent: task.agent } };
  updateTaskDue(tx, routed, null);
  const begun = beginRound(tx, routed, round);
  return { task: begun.task, events: [...moved.events, ...begun.events] };
}

const REASON_CHARACTERS_MAX = 200;

function reasonOf(words: string | null): string {
  const [first = ''] = (words ?? '').trim().split('\n');
  return first === '' ? 'continued' : `continued: ${[...first].slice(0, REASON_CHARACTERS_MAX).join('')}`;
}

/**
 * Ends the wait of a task for its next attempt, such as for a quota, because an operator continues it now. Its files stay. The
 * order is settled; only its report remains to be made.
 */
export const leaveWait: Command<Pick<ContinuedOrder, 'continues' | 'actor'>, TaskChange> = (
  tx,
  { continues, actor },
) => {
  const task = selectTask(tx, continues.task);
  if (!task) return refuse('task_not_found', `there is no task ${continues.task}`);
  if (!hasWait(tx, task)) return refuseContinue(tx, task) ?? { task, events: [] };
  const settled = abandonOrder(tx, task, { message: `continued by ${actor}`, keepsFiles: true });
  if (task.status !== 'ready') return { task, events: settled };
  const moved = transitions(tx, task, { through: ['blocked'], actor, reason: 'continued', with: { runId: null } });
  return { ...moved, events: [...settled, ...moved.events] };
};

/** Whether the order of a task waits for its next attempt, and no agent works on it. */
export function hasWait(ledger: Reader, { id, status, runId }: Task): boolean {
  const order = selectOrder(ledger, id);
  if (!order?.isOpen || status === 'in-progress' || runId !== null) return false;
  const { next, attempts, outcome } = selectExecution(ledger, order);
  return outcome === null && next !== null && attempts.some(({ end }) => end !== null);
}
