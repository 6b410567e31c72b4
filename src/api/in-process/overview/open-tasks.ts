import { lastRun } from '../../../domain/execution/execution.ts';
import type { RunGlance } from '../../../domain/run-glance.ts';
import { selectOrder } from '../../../ledger/statements/orders.ts';
import { selectExecution } from '../../../ledger/statements/run-facts.ts';
import { selectTask } from '../../../ledger/statements/tasks.ts';
import type { Reader } from '../../../ledger/tx.ts';
import type { StatusAnswer } from '../../contract.ts';
import type { RunningTask, WaitingTask } from '../../overview-contract.ts';

/** A running task with the attempt that it is in and the time that is left. */
export function viewRunning(read: Reader, task: StatusAnswer['running'][number], glance: RunGlance): RunningTask {
  const order = task.run === null ? null : selectOrder(read, task.id);
  const execution = order && selectExecution(read, order);
  const timeoutSeconds = execution?.order.policy.timeoutSeconds ?? null;
  const started = execution && lastRun(execution)?.startedAt;
  return {
    ...task,
    ...glance,
    endsAt: timeoutSeconds && started ? new Date(started + timeoutSeconds * 1_000).toISOString() : null,
    attempt: execution?.attempts.length ?? 1,
    attempts: (execution?.order.policy.retriesMax ?? 0) + 1,
  };
}

/** A waiting task with the open ones that it depends on. */
export function viewWaiting(read: Reader, task: StatusAnswer['waiting'][number]): WaitingTask {
  const after = task.dependsOn.flatMap((id) => {
    const needed = selectTask(read, id);
    return needed && needed.status !== 'done' ? [{ id: needed.id, title: needed.title }] : [];
  });
  return { ...task, after };
}
