import type { Fact } from '../domain/execution/fact.ts';
import { isRefusal, refuse, refuseField } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task.ts';
import { isTerminal } from '../domain/task-lifecycle.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectOrder, selectOrderedTask } from '../ledger/statements/orders.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import { type Created, createTask, type NewTask } from './create-task.ts';
import { writeFact } from './open-order.ts';
import { beginRound, type NewRound } from './order-task.ts';
import { transition } from './transition.ts';

export interface NewOrder extends NewRound {
  readonly task: NewTask;
  readonly admitted: Extract<Fact, { readonly kind: 'admitted' }>;
}

/** Stores an admitted order: its task, ready to be claimed, and its first facts, in one commit. */
export const submitOrder: Command<NewOrder, Created> = (tx, { task: asked, admitted, ...round }) => {
  const { order } = round;
  const earlier = selectOrderedTask(tx, order.sessionId, order.taskId);
  if (earlier !== null && isUnderWay(tx, earlier)) {
    const name = `${order.taskId} of ${order.sessionId}`;
    return refuseField('already_claimed', `${name} is being carried out as ${earlier}`, { kind: 'task-id' });
  }
  const lost = asked.dependsOn.find((needs) => hasFailed(selectTask(tx, needs)));
  if (lost !== undefined) return refuse('E_DEPENDENCY_FAILED', `${lost}, which it depends on, failed meanwhile`);
  const created = createTask(tx, { ...asked, sessionId: order.sessionId });
  if (isRefusal(created)) return created;
  const begun = beginRound(tx, created.task, round);
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
