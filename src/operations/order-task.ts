import type { LedgerEvent } from '../domain/ledger-event.ts';
import { refuse } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { beginRound, type NewOrder } from './submit-order.ts';

export interface TaskOrder {
  readonly taskId: TaskName;
  readonly order: NewOrder;
}

/** A task that was made by hand, or goes round again, gets the order that its agent is given. */
export const orderTask: Command<TaskOrder, { readonly task: Task; readonly events: readonly LedgerEvent[] }> = (
  tx,
  { taskId, order },
) => {
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  if (task.status !== 'ready') return refuse('invalid_transition', `${taskId} is ${task.status}, not ready`);
  if (selectOrder(tx, taskId)?.isOpen) return refuse('already_claimed', `${taskId} is being carried out`);
  beginRound(tx, task, order);
  return { task, events: [] };
};
