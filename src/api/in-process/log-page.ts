import { readRunLog } from '../../dispatch/attempt/run-log.ts';
import type { RunWorld } from '../../dispatch/run-world.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { findTask } from '../../operations/find-task.ts';
import type { LogPage } from '../order-contract.ts';

/** What the agents of a task printed, from a place on. */
export function logPage(world: RunWorld, reference: string, after: number): LogPage | Refusal {
  const task = findTask(world.ledger.read, reference);
  if (isRefusal(task)) return task;
  const isEnd = selectOrder(world.ledger.read, task.id)?.isOpen !== true;
  return { ...readRunLog(world.dataFolder, task.id, after), isEnd };
}
