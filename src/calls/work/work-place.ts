import { workLeft } from '../../domain/execution/recorded-changes.ts';
import type { SessionMember } from '../../domain/session/session-report.ts';
import type { WorkPlace } from '../../domain/work/work-state.ts';
import { selectExecution, selectLastFact } from '../../ledger/statements/run-facts.ts';
import type { Reader } from '../../ledger/tx.ts';

/** The place of the work of a task of a session; null while its order is open, and where it changed no file. */
export interface PlacedWork {
  readonly work: WorkPlace | null;
  /** The branch that it was committed to; null where it is on none. */
  readonly branch: string | null;
}

export function placeOfWork(read: Reader, { task: taskId, round, work, end }: SessionMember): PlacedWork {
  if (work === 'waiting') return { work: 'worktree', branch: null };
  if (work === 'applied') {
    const branch = selectLastFact(read, { taskId, round }, 'applied')?.branch ?? null;
    return { work: branch === null ? 'files' : 'branch', branch };
  }
  if (work !== null) return { work, branch: null };
  const isWorkedOn = end !== null && end.attempts > 0;
  const isInFiles = isWorkedOn && workLeft(selectExecution(read, { taskId, round })).length > 0;
  return { work: isInFiles ? 'files' : null, branch: null };
}
