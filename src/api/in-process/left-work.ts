import type { ReadStoredOrder } from '../../dispatch/read-stored.ts';
import type { LeftWork } from '../../dispatch/work-of-task.ts';
import { replay } from '../../domain/execution/execution.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectFacts } from '../../ledger/statements/run-facts.ts';
import type { Reader } from '../../ledger/tx.ts';
import { findTask } from '../../operations/find-task.ts';

/** What is known of the order of a task, of its newest round. */
export function leftWork(read: Reader, readStored: ReadStoredOrder, reference: string): LeftWork | Refusal {
  const task = findTask(read, reference);
  if (isRefusal(task)) return task;
  const stored = selectOrder(read, task.id);
  if (!stored) return refuse('not_running', `${task.id} was never given to an agent`);
  const { order } = readStored(stored);
  const executionOf = (round: number) => replay(order, selectFacts(read, { taskId: task.id, round }));
  const { round } = stored;
  const earlier = () => Array.from({ length: round - 1 }, (_, at) => executionOf(round - 1 - at));
  return { task, round, execution: executionOf(round), earlier };
}
