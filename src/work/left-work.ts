import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { earlierRounds, selectExecution } from '../ledger/statements/run-facts.ts';
import type { Reader } from '../ledger/tx.ts';
import { refuseUnordered } from '../operations/order/refuse-unordered.ts';
import { findTask } from '../operations/task/find-task.ts';
import { oneAtATime } from '../workspace/one-at-a-time.ts';
import type { LeftWork } from './work.ts';

/** The newest round of a task, and the earlier ones on demand. */
export function leftWork(read: Reader, reference: string): LeftWork | Refusal {
  const task = findTask(read, reference);
  if (isRefusal(task)) return task;
  const row = selectOrder(read, task.id);
  if (!row) return refuseUnordered(read, task);
  const { round } = row;
  const about = { taskId: task.id, round };
  return { task, round, execution: selectExecution(read, about), earlier: () => earlierRounds(read, about) };
}

/** Runs an apply when no other one of the same repository runs. */
export type ApplyTurn = <Value>(work: LeftWork, apply: () => Promise<Value>) => Promise<Value>;

export const applyTurn: ApplyTurn = ({ execution }, apply) =>
  oneAtATime(`applies to ${execution.snapshotted?.repository?.commonDir ?? execution.order.workspaceRoot}`, apply);
