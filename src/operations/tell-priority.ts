import type { Task } from '../domain/task.ts';
import { hasOpenOrder, selectOrder } from '../ledger/statements/orders.ts';
import type { Tx } from '../ledger/tx.ts';
import { priorityEscalation } from '../protocols/aop/priority-escalation.ts';

export interface PriorityChange {
  readonly from: Task;
  readonly to: Task;
  readonly reason: string | null;
  readonly actor: string;
}

/** What an edit says of a new priority; who follows an order that is not over is told in AOP's words too. */
export function tellPriority(tx: Tx, { from, to, reason, actor }: PriorityChange): object {
  if (from.priority === to.priority) return {};
  const change = { oldPriority: from.priority, newPriority: to.priority };
  const order = hasOpenOrder(tx, to.id) ? selectOrder(tx, to.id) : null;
  if (!order) return change;
  const { sessionId, senderTaskId: taskId } = order;
  const words = { sessionId, taskId, from: from.priority, to: to.priority, reason, by: actor };
  return { ...change, message: priorityEscalation({ ...words, atMs: tx.moment.now.wallMs }) };
}
