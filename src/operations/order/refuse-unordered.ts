import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { Task } from '../../domain/task/task.ts';
import { selectMeta } from '../../ledger/statements/meta.ts';
import type { Reader } from '../../ledger/tx.ts';

/** The row of meta that says when the ledger was made anew from the files, which hold no orders. */
export const REBUILT_AT = 'rebuilt_from_tree_at';

/** Refuses a verb for the work of a task that has no order: none was ever given, or it was lost with an earlier ledger. */
export function refuseUnordered(read: Reader, { id, fence }: Pick<Task, 'id' | 'fence'>): Refusal {
  const rebuiltAt = fence === 0 ? null : selectMeta(read, REBUILT_AT);
  if (rebuiltAt === null) {
    return { ...refuse('not_running', `${id} was never given to an agent`), hint: `baton run ${id} starts it` };
  }
  const day = rebuiltAt.slice(0, 'YYYY-MM-DD'.length);
  const refusal = refuse(
    'not_running',
    `the record of the work of ${id} was lost with the ledger, which was rebuilt on ${day}`,
  );
  return { ...refusal, hint: `baton logs ${id} and baton receipt verify ${id} read the files that are left` };
}
