import { dirname } from 'node:path';
import { orderOfWords } from '../../domain/decisions/decide-order.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectFacts } from '../../ledger/statements/run-facts.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import { type NewRound, orderTask } from '../../operations/order-task.ts';
import { findRepository } from '../../workspace/find-repository.ts';
import type { RunWorld } from '../run-world.ts';
import { termsOf } from './order-terms.ts';

/** Gives a task that was made by hand or is retried its order. False where the task is no longer ready. */
export async function ensureOrder(world: RunWorld, taskId: TaskName): Promise<boolean> {
  const { ledger } = world;
  if (selectOrder(ledger.read, taskId)?.isOpen) return true;
  return !isRefusal(await ledger.submit(orderTask, { taskId, ...roundOf(world, taskId) }));
}

/** A retry repeats the order as it was decided; a task made by hand is ordered in its own words. */
function roundOf(world: RunWorld, taskId: TaskName): NewRound {
  const { read } = world.ledger;
  const earlier = selectOrder(read, taskId);
  const [first] = earlier === null ? [] : selectFacts(read, earlier);
  if (earlier !== null && first?.kind === 'ordered') return { order: first.order, provenance: earlier.provenance };
  const task = selectTask(read, taskId);
  if (!task) throw new Error(`there is no task ${taskId}`);
  const agent = task.routing.agent ?? '';
  const terms = termsOf(world, { workspace: usualWorkspace(world.dataFolder), agent });
  const words = [task.title, task.body.trim()].filter(Boolean).join('\n\n');
  return { order: orderOfWords(words, { ...terms, taskId, origin: 'TASK' }), provenance: null };
}

/** For tasks that name no workspace: the repository of the data folder, or the folder beside it. */
function usualWorkspace(dataFolder: string): string {
  const beside = dirname(dataFolder);
  return findRepository(beside)?.root ?? beside;
}
