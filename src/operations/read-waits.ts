import type { Waits } from '../domain/decisions/decide-claim.ts';
import type { Task } from '../domain/task.ts';
import { openDependencies } from '../ledger/statements/dependencies.ts';
import { selectResourceHolder } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';

/** What keeps a task from running now. */
export function readWaits(tx: Reader, task: Task): Waits {
  return {
    openDependencies: task.dependsOn.length === 0 ? 0 : openDependencies(tx, task.id),
    resourceHolder: task.resource === null ? null : selectResourceHolder(tx, task.resource),
  };
}
