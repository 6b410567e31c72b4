import { replay } from '../domain/execution/execution.ts';
import { refuse } from '../domain/refusal.ts';
import type { Task } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectFacts } from '../ledger/statements/run-facts.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { type ContinuedOrder, refuseContinue } from './continue-task.ts';
import { abandonOrder } from './stop-order.ts';
import { type Moved, transitions } from './transition.ts';

/**
 * Ends the wait of a task for its next attempt, such as for a quota, because an operator goes on with it now. Its files stay. The
 * order is settled; only its report remains to be made.
 */
export const leaveWait: Command<Pick<ContinuedOrder, 'continues' | 'actor'>, Moved> = (tx, { continues, actor }) => {
  const task = selectTask(tx, continues.task);
  if (!task) return refuse('task_not_found', `there is no task ${continues.task}`);
  if (!hasWait(tx, task)) return refuseContinue(tx, task) ?? { task, events: [] };
  const settled = abandonOrder(tx, task, { message: `continued by ${actor}`, keepsFiles: true });
  if (task.status !== 'ready') return { task, events: settled };
  const moved = transitions(tx, task, { through: ['blocked'], actor, reason: 'continued', with: { runId: null } });
  return { ...moved, events: [...settled, ...moved.events] };
};

/** Whether the order of a task waits for its next attempt, and no agent works on it. */
export function hasWait(ledger: Reader, { id, status, runId }: Task): boolean {
  const order = selectOrder(ledger, id);
  if (!order?.isOpen || status === 'in-progress' || runId !== null) return false;
  const { next, attempts, outcome } = replay(selectFacts(ledger, order));
  return outcome === null && next !== null && attempts.some(({ end }) => end !== null);
}
