import { countToApply, selectToApply } from '../../../ledger/statements/task-work.ts';
import { selectTask } from '../../../ledger/statements/tasks.ts';
import type { Reader } from '../../../ledger/tx.ts';
import type { FinishedTask } from '../../overview-contract.ts';
import { viewTaskLine } from '../../views.ts';
import { summarizeWork } from './work-summary.ts';

interface Finished {
  readonly tasks: readonly FinishedTask[];
  /** Of all, shown or not. */
  readonly total: number;
}

/** Work that waits to be applied, oldest first, then the tasks that ended today, newest first; `without` are shown elsewhere. */
export function finishedTasks(
  read: Reader,
  { today, without, limit }: { today: readonly string[]; without: ReadonlySet<string | null>; limit: number },
): Finished {
  const toApply = selectToApply(read, limit).map(({ id }) => id as string);
  const all = [...new Set([...toApply, ...today])].filter((id) => !without.has(id));
  const tasks = all.slice(0, limit).flatMap((id) => viewFinished(read, id));
  return { tasks, total: all.length + Math.max(0, countToApply(read) - toApply.length) };
}

function viewFinished(read: Reader, id: string): FinishedTask[] {
  const task = selectTask(read, id);
  const summary = task && summarizeWork(read, task.id);
  return task && summary ? [{ ...viewTaskLine(task), summary }] : [];
}
