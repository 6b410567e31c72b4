import { existsSync } from 'node:fs';
import type { Execution } from '../domain/execution/execution.ts';
import type { OrderFlags } from '../domain/order/order-request.ts';
import type { Task } from '../domain/task/task.ts';
import { isTakenBack } from '../domain/work/work-state.ts';

interface PlaceAgain {
  /** The next round continues in the worktree of the last one. */
  readonly isInWorktree: boolean;
  /** The files no longer have the work of the last round. */
  readonly isGone: boolean;
  readonly flags: Pick<OrderFlags, 'worktree'>;
}

/** The files in which the next round of a task works. */
export function placeAgain({ work }: Pick<Task, 'work'>, { snapshotted }: Pick<Execution, 'snapshotted'>): PlaceAgain {
  const worktree = snapshotted?.workplace.kind === 'worktree' ? snapshotted.workplace.folder : null;
  // A round that changed nothing left a worktree too: the next one must not continue in the user's files.
  const isUnchanged = worktree !== null && work === null;
  const isInWorktree = worktree !== null && (work === 'waiting' || (isUnchanged && existsSync(worktree)));
  const isGone = isTakenBack(work) || (isUnchanged && !isInWorktree);
  // Work that is in the user's files continues there: a worktree of HEAD would not have it.
  const flags = isUnchanged ? { worktree: true } : isGone ? {} : { worktree: false };
  return { isInWorktree, isGone, flags };
}
