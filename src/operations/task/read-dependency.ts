import { isAccepted } from '../../domain/order/work-verdict.ts';
import { type DependencyState, judgeDependency } from '../../domain/task/judge-dependency.ts';
import type { TaskName } from '../../domain/task/task.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import { selectTaskStatus } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';

/** The state of a dependency on a task, for an order of the same session or for any other task; null without such a task. */
export function readDependency(ledger: Reader, needs: TaskName, isOfSession: boolean): DependencyState | null {
  const status = selectTaskStatus(ledger, needs);
  if (status === null) return null;
  return judgeDependency({ status, hasFailed: status === 'blocked' && hasFailedOrder(ledger, needs) }, isOfSession);
}

function hasFailedOrder(ledger: Reader, id: TaskName): boolean {
  const order = selectOrder(ledger, id);
  const outcome = order && selectExecution(ledger, order).outcome;
  return outcome !== null && !isAccepted(outcome.verdict);
}
