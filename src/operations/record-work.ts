import type { WorkFact } from '../domain/execution/fact.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import { refuse } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { updateTaskWork } from '../ledger/statements/task-work.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { writeFact } from './open-order.ts';

export interface WorkDeed {
  readonly taskId: TaskName;
  readonly fact: WorkFact;
}

/** Records that an operator applied, undid or discarded the work of the newest round. */
export const recordWork: Command<WorkDeed, { readonly task: Task; readonly events: readonly LedgerEvent[] }> = (
  tx,
  { taskId, fact },
) => {
  const task = selectTask(tx, taskId);
  const order = selectOrder(tx, taskId);
  if (!task || !order) return refuse('task_not_found', `there is no work of ${taskId}`);
  const handled = { ...task, work: fact.kind };
  updateTaskWork(tx, handled);
  return { task: handled, events: [writeFact(tx, { task, order }, fact)] };
};
