import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { selectPromotable } from '../../ledger/statements/ready-tasks.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import { transition } from './transition.ts';

/** aof:dispatch: moves routed tasks without open dependencies from backlog to ready. */
export const promoteTasks: Command<{ readonly limit: number }, { readonly events: readonly LedgerEvent[] }> = (
  tx,
  { limit },
) => {
  const events = selectPromotable(tx, limit).flatMap((id) => {
    const task = selectTask(tx, id);
    if (!task) return [];
    return transition(tx, task, { to: 'ready', actor: 'dispatcher', reason: 'routed, nothing to wait for' }).events;
  });
  return { events };
};
