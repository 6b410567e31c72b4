import type { Fact } from '../domain/execution/fact.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import { isRefusal, refuse } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task.ts';
import { isTerminal } from '../domain/task-lifecycle.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertOrder, type StoredOrder, selectOrder, selectOrderedTask } from '../ledger/statements/orders.ts';
import { selectTask, updateTaskSession } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import { createTask, type NewTask } from './create-task.ts';
import { writeFact } from './record-fact.ts';
import { transition } from './transition.ts';

export type NewOrder = Pick<StoredOrder, 'sessionId' | 'senderTaskId' | 'message' | 'settings'>;

export interface Submission {
  readonly task: NewTask;
  readonly order: NewOrder;
  readonly admitted: Extract<Fact, { readonly kind: 'admitted' }>;
}

export interface Submitted {
  readonly task: Task;
  readonly events: readonly LedgerEvent[];
}

/** An order that was found fit: its task, ready to be taken, and the order, in one commit. */
export const submitOrder: Command<Submission, Submitted> = (tx, { task: asked, order, admitted }) => {
  const earlier = selectOrderedTask(tx, order.sessionId, order.senderTaskId);
  if (earlier !== null && isUnderWay(tx, earlier)) {
    const name = `${order.senderTaskId} of ${order.sessionId}`;
    return refuse('already_claimed', `${name} is being carried out as ${earlier}`, '/task/task_id');
  }
  const lost = asked.dependsOn.find((needs) => hasFailed(selectTask(tx, needs)));
  if (lost !== undefined) return refuse('E_DEPENDENCY_FAILED', `${lost}, which it depends on, failed meanwhile`);
  const created = createTask(tx, { ...asked, sessionId: order.sessionId });
  if (isRefusal(created)) return created;
  const begun = beginRound(tx, created.task, order);
  const fact = writeFact(tx, begun, admitted);
  const waits = begun.task.dependsOn.length > 0;
  if (waits) return { task: begun.task, events: [...created.events, fact] };
  const ready = transition(tx, begun.task, { to: 'ready', actor: 'dispatcher', reason: 'ordered' });
  return { task: ready.task, events: [...created.events, fact, ...ready.events] };
};

function hasFailed(needed: Task | null): boolean {
  return needed?.status === 'blocked' || needed?.status === 'cancelled' || needed?.status === 'deadletter';
}

function isUnderWay(tx: Tx, taskId: TaskName): boolean {
  const task = selectTask(tx, taskId);
  return task !== null && !isTerminal(task.status) && selectOrder(tx, taskId)?.isOpen === true;
}

/** The order of a task's next round. */
export function beginRound(tx: Tx, task: Task, order: NewOrder): { readonly task: Task; readonly order: StoredOrder } {
  const round = (selectOrder(tx, task.id)?.round ?? 0) + 1;
  const stored: StoredOrder = { ...order, taskId: task.id, round, at: tx.moment.now.wallMs, isOpen: true };
  insertOrder(tx, stored);
  const ordered = { ...task, sessionId: order.sessionId };
  if (task.sessionId !== ordered.sessionId) updateTaskSession(tx, ordered);
  return { task: ordered, order: stored };
}
