import type { RoutedTask } from '../domain/task/task.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectLastFact } from '../ledger/statements/run-facts.ts';
import type { Reader } from '../ledger/tx.ts';

/** Whether the open order of a task was admitted with this agent: its program is recorded, whatever is configured now. */
export function isAdmittedAgent(read: Reader, { id, agent: name }: RoutedTask): boolean {
  const row = selectOrder(read, id);
  const admitted = row?.isOpen ? selectLastFact(read, row, 'admitted') : null;
  return admitted?.agents?.some((agent) => agent.name === name) ?? false;
}
