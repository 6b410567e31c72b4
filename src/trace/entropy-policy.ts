import type { Task } from '../domain/task/task.ts';
import type { EntropyPolicy } from '../domain/trace/detect-entropy.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectLastFact } from '../ledger/statements/run-facts.ts';
import type { Reader } from '../ledger/tx.ts';

/** The setting `entropy` as it was when the order of a task was accepted. */
export function entropyPolicyOf(read: Reader, task: Task): EntropyPolicy {
  const row = selectOrder(read, task.id);
  return (row && selectLastFact(read, row, 'ordered')?.order.settings.entropy) ?? {};
}
