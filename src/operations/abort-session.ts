import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { Task } from '../domain/task.ts';
import type { TaskStatus } from '../domain/task-lifecycle.ts';
import { type OrderRow, selectSessionOrders } from '../ledger/statements/orders.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import { moveByHand } from './move-by-hand.ts';

const NOT_ENDED: readonly TaskStatus[] = ['backlog', 'ready', 'in-progress'];

/** aop:retries: abort-session cancels the rest, what waits and what runs. */
export function abortSession(tx: Tx, failed: Task, { sessionId }: OrderRow): readonly LedgerEvent[] {
  const reason = `${failed.id} failed, and with it its session`;
  return selectSessionOrders(tx, sessionId).flatMap((id) => {
    const task = selectTask(tx, id);
    if (!task || id === failed.id || !NOT_ENDED.includes(task.status)) return [];
    return moveByHand(tx, task, { to: 'cancelled', actor: 'dispatcher', reason }).events;
  });
}
