import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import type { Reader } from '../ledger/tx.ts';
import { findTask } from './find-task.ts';

const WHOLE_NAME = /^TASK-\d{4}-\d{2}-\d{2}-\d{3}$/;

/**
 * The name of a task that was named in any way. Who gives the whole name, as programs do, gets it back unread: that
 * there is no such task is for the command to say.
 */
export function nameTask(read: Reader, reference: string): TaskName | Refusal {
  if (WHOLE_NAME.test(reference)) return reference as TaskName;
  const task = findTask(read, reference);
  return isRefusal(task) ? task : task.id;
}
