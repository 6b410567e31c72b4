/** Where a work tree and its git folder are; all paths real. */
export interface Repository {
  readonly root: string;
  /** With HEAD and index of this work tree. */
  readonly gitDir: string;
  /** With objects and branches; another folder than gitDir in a linked worktree. */
  readonly commonDir: string;
}
