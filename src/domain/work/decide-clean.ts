import type { WorkState } from './work-state.ts';

/** The work of a task that a data folder holds. */
export interface WorkFacts {
  /** The order still runs, or waits to. */
  readonly isOpen: boolean;
  /** An earlier clean recorded that it removes this work, and may have been cut short. */
  readonly isCleaned: boolean;
  readonly work: WorkState | null;
  readonly isInWorktree: boolean;
  readonly hasChanges: boolean;
  /** An undo saved a person's own changes with it. */
  readonly hasTheirChanges: boolean;
  /** The end of the order, or the last time somebody applied its work; milliseconds since 1970. */
  readonly lastAt: number | null;
}

export interface CleanRule {
  readonly nowMs: number;
  /** Work that is in the user's files can be undone for this long. */
  readonly undoMs: number;
}

/** `remove` takes everything that was saved; `remove-worktree` leaves what an undo needs. */
export type CleanDecision =
  | { readonly kind: 'remove' }
  | { readonly kind: 'remove-worktree' }
  | { readonly kind: 'keep'; readonly why: 'running' | 'waiting' | 'undoable' };

/** Decides what `baton clean` does with the saved work of a task. */
export function decideClean(facts: WorkFacts, { nowMs, undoMs }: CleanRule): CleanDecision {
  const { isOpen, isCleaned, work, isInWorktree, hasChanges, hasTheirChanges, lastAt } = facts;
  if (isOpen || lastAt === null) return { kind: 'keep', why: 'running' };
  if (!isCleaned && work === 'undone' && hasTheirChanges && nowMs - lastAt < undoMs) {
    return { kind: 'keep', why: 'undoable' };
  }
  if (isCleaned || work === 'undone' || work === 'discarded') return { kind: 'remove' };
  // Earlier versions did not record what was done with the work of a worktree: it may still wait.
  if (work === 'waiting' || (work === null && isInWorktree && hasChanges)) return { kind: 'keep', why: 'waiting' };
  if (nowMs - lastAt >= undoMs) return { kind: 'remove' };
  return isInWorktree ? { kind: 'remove-worktree' } : { kind: 'keep', why: 'undoable' };
}
