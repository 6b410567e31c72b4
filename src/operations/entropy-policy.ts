import type { EntropyPolicy } from '../domain/decisions/detect-entropy.ts';
import type { Task } from '../domain/task.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectLastFact } from '../ledger/statements/run-facts.ts';
import type { Reader } from '../ledger/tx.ts';

/** The setting `entropy` as it was when the order of a task was accepted. */
export function entropyPolicyOf(read: Reader, task: Task): EntropyPolicy {
  const row = selectOrder(read, task.id);
  return (row && selectLastFact(read, row, 'ordered')?.order.settings.entropy) ?? {};
}
