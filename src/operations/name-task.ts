import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import { hasTask } from '../ledger/statements/select-task.ts';
import type { Reader } from '../ledger/tx.ts';
import { findTask } from './find-task.ts';

/** The name of a task that was named in any way. A program has the name itself: for that no task is read whole. */
export function nameTask(read: Reader, reference: string): TaskName | Refusal {
  if (reference.startsWith('TASK-') && hasTask(read, reference)) return reference as TaskName;
  const task = findTask(read, reference);
  return isRefusal(task) ? task : task.id;
}
