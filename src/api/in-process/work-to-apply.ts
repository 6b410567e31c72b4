import { changesLeft } from '../../domain/execution/changes-left.ts';
import { lastRun, replay } from '../../domain/execution/execution.ts';
import type { Task } from '../../domain/task.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectFacts } from '../../ledger/statements/run-facts.ts';
import { selectToApply } from '../../ledger/statements/task-work.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { StatusAnswer, WaitingWork } from '../contract.ts';
import { viewTaskLine } from '../views.ts';

/** Tasks whose work waits in a worktree, oldest first. */
export function workToApply(read: Reader, limit: number): StatusAnswer['toApply'] {
  return selectToApply(read, limit).map((task) => ({ ...viewTaskLine(task), ...workOf(read, task) }));
}

function workOf(read: Reader, task: Task): WaitingWork {
  const order = selectOrder(read, task.id);
  if (!order) throw new Error(`${task.id} has work and no order`);
  const execution = replay(selectFacts(read, order));
  const { outcome, reported } = execution;
  return {
    doneBy: lastRun(execution)?.agent ?? null,
    files: changesLeft(execution).length,
    readyAt: new Date(reported?.report.timing.completedAt ?? order.at).toISOString(),
    signal: outcome?.signal ?? null,
    isUnchecked: outcome?.isUnchecked ?? false,
  };
}
