import type { Order } from '../domain/order.ts';
import { delegationDepth } from '../domain/task.ts';
import { selectOrderedTask } from '../ledger/statements/orders.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';

/** One more than the task it was handed down from. */
export function depthOf(ledger: Reader | null, { sessionId, parentTaskId }: Order): number {
  if (ledger === null || parentTaskId === null) return 0;
  const parent = selectOrderedTask(ledger, sessionId, parentTaskId);
  const task = parent === null ? null : selectTask(ledger, parent);
  return task === null ? 0 : delegationDepth(task) + 1;
}
