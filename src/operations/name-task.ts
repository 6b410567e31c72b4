import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import type { Reader } from '../ledger/tx.ts';
import { findTask } from './find-task.ts';

const WHOLE_NAME = /^TASK-\d{4}-\d{2}-\d{2}-\d{3}$/;

/**
 * The name of the task that a reference means. A whole name, which is what programs send, is returned without a read:
 * the command itself refuses a task that does not exist.
 */
export function nameTask(read: Reader, reference: string): TaskName | Refusal {
  if (WHOLE_NAME.test(reference)) return reference as TaskName;
  const task = findTask(read, reference);
  return isRefusal(task) ? task : task.id;
}

/** The names of several tasks; the first that cannot be found is the refusal. */
export function nameTasks(read: Reader, references: readonly string[]): readonly TaskName[] | Refusal {
  const names: TaskName[] = [];
  for (const reference of references) {
    const name = nameTask(read, reference);
    if (isRefusal(name)) return name;
    names.push(name);
  }
  return names;
}
