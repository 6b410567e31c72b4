import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Task } from '../domain/task.ts';
import { selectOrderedTask } from '../ledger/statements/orders.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';

/** What an AOP message calls the task that it is about. */
export interface SenderName {
  readonly sessionId: string;
  /** The sender's own name for it, or TASK-… as Baton told it. */
  readonly senderTaskId: string;
}

/** common:task-names: a task is found by session and task id; one that nobody ordered has no other name than its own. */
export function findOrderedTask(tx: Reader, { sessionId, senderTaskId }: SenderName): Task | Refusal {
  const task = selectTask(tx, selectOrderedTask(tx, sessionId, senderTaskId) ?? senderTaskId);
  return task ?? refuse('task_not_found', `there is no task ${senderTaskId} of ${sessionId}`, '/task_id');
}
