import type { VerdictView } from '../../api/order/verdict-view.ts';
import { type RunSight, viewVerdict } from '../../api/task/views.ts';
import { workLeft } from '../../domain/execution/recorded-changes.ts';
import { listActions, type TaskAction } from '../../domain/task/list-actions.ts';
import { isInterruptedRun } from '../../domain/task/run.ts';
import type { Task } from '../../domain/task/task.ts';
import { selectAwaited } from '../../ledger/statements/dependencies.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectExecution, selectLastFact } from '../../ledger/statements/run-facts.ts';
import { liveRunOf } from '../../ledger/statements/runs.ts';
import type { Reader } from '../../ledger/tx.ts';

/** The actions that a task allows now. */
export function viewActions(read: Reader, task: Task, { isDriven = () => false }: RunSight): readonly TaskAction[] {
  const row = selectOrder(read, task.id);
  const run = liveRunOf(read, task);
  return listActions({
    ...task,
    agent: task.routing.agent,
    isOrdered: row !== null,
    isOpen: row?.isOpen ?? false,
    isInterrupted: run !== null && isInterruptedRun(run, isDriven(task.id)),
    isHeldUp: selectAwaited(read, task).length > 0,
    changedFiles: row === null || row.isOpen ? 0 : workLeft(selectExecution(read, row)).length,
  });
}

/** The verdict on the last round of a task: a round that runs has none. */
export function viewVerdictOn(read: Reader, { id }: Pick<Task, 'id'>): VerdictView {
  const order = selectOrder(read, id);
  const reported = order && !order.isOpen ? selectLastFact(read, order, 'reported') : null;
  return viewVerdict(reported?.report ?? { verdict: null, isSkipped: false });
}
