import type { Execution } from '../domain/execution/execution.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { type OrderRow, selectOrder } from '../ledger/statements/orders.ts';
import { selectExecution } from '../ledger/statements/run-facts.ts';
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

/** The rounds of a task before one, newest first. */
export function earlierRounds(read: Reader, { taskId, round }: Pick<OrderRow, 'taskId' | 'round'>): Execution[] {
  return Array.from({ length: round - 1 }, (_, at) => selectExecution(read, { taskId, round: round - 1 - at }));
}

/** Runs an apply when no other one of the same repository runs. */
export type ApplyTurn = <Value>(work: LeftWork, apply: () => Promise<Value>) => Promise<Value>;

export const applyTurn: ApplyTurn = ({ execution }, apply) =>
  oneAtATime(`applies to ${execution.snapshotted?.repository?.commonDir ?? execution.order.workspaceRoot}`, apply);
