import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task.ts';
import type { Reader } from '../../ledger/tx.ts';
import { nameTask } from '../../operations/name-task.ts';

/** The names of tasks that were named in any way; the first that cannot be found is the refusal. */
export function namesOf(read: Reader, references: readonly string[]): readonly TaskName[] | Refusal {
  const names: TaskName[] = [];
  for (const reference of references) {
    const name = nameTask(read, reference);
    if (isRefusal(name)) return name;
    names.push(name);
  }
  return names;
}
