import { OPERATOR } from '../../domain/task/decide-sender.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import { writeFact } from './open-order.ts';

/**
 * Records that the saved work of tasks is removed, before anything of it is: whoever asks for it afterwards is told so, also if
 * the removal was cut short. A task that runs again meanwhile keeps its work.
 */
export const recordClean: Command<
  { readonly tasks: readonly string[] },
  { readonly events: readonly LedgerEvent[] }
> = (tx, { tasks }) => {
  const events = tasks.flatMap((taskId) => {
    const task = selectTask(tx, taskId);
    const order = selectOrder(tx, taskId);
    if (!task || !order || order.isOpen || selectExecution(tx, order).cleanedAt !== null) return [];
    return [writeFact(tx, { task, order }, { kind: 'cleaned', by: OPERATOR, at: tx.moment.now.wallMs })];
  });
  return { events };
};
