import type { ContinuedWork } from '../execution/work-fact.ts';

/** The reason why there can be no worktree of a workspace. */
export type WorktreeObstacle = 'no-git' | 'no-commit' | 'not-in-commit' | 'no-sandbox';

/** The facts that decide where an order works, when it is planned and when it starts. */
export interface WorkplaceFacts {
  /** The work of another node, unpacked into a folder for this order alone. */
  readonly isUnpacked: boolean;
  /** It may write files. */
  readonly mayWrite: boolean;
  /** Work that it builds on waits in a worktree: the user's files do not have it. */
  readonly buildsOnWaiting: boolean;
  readonly continues: Pick<ContinuedWork, 'isInWorktree' | 'isTakenBack'> | null;
  /** Its caller asked for a worktree. */
  readonly isWanted: boolean;
  /** The plan that its caller agreed to says worktree. */
  readonly isPromised: boolean;
  /** Another task has the workspace. */
  readonly isHeld: boolean;
  /** Null where a worktree can be made. */
  readonly obstacle: WorktreeObstacle | null;
}

export type WorkplaceDecision =
  | { readonly kind: 'in-place' }
  /** A new worktree. */
  | { readonly kind: 'worktree' }
  /** The worktree in which the work that it continues waits. */
  | { readonly kind: 'same-worktree' }
  /** Until the workspace is free. */
  | { readonly kind: 'waits' }
  /** It needs a worktree, and there can be none. */
  | { readonly kind: 'refused'; readonly obstacle: WorktreeObstacle };

/** The place in which an order works: two tasks never write to one folder, and work that must stay apart is never in the user's files. */
export function decideWorkplace(facts: WorkplaceFacts): WorkplaceDecision {
  const { isUnpacked, mayWrite, buildsOnWaiting, continues, isWanted, isPromised, isHeld, obstacle } = facts;
  if (isUnpacked || (!mayWrite && !buildsOnWaiting)) return { kind: 'in-place' };
  if (continues?.isInWorktree) return { kind: 'same-worktree' };
  // A worktree of HEAD would not have the work that it continues.
  const isBound = continues !== null && !continues.isTakenBack;
  if (isBound) return { kind: isHeld ? 'waits' : 'in-place' };
  if (isWanted || buildsOnWaiting) return obstacle === null ? { kind: 'worktree' } : { kind: 'refused', obstacle };
  if (isPromised && obstacle === null) return { kind: 'worktree' };
  if (!isHeld) return { kind: 'in-place' };
  return { kind: obstacle === null ? 'worktree' : 'waits' };
}
