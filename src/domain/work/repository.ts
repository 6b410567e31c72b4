/** The paths of a working tree and its git folder; all are real paths. */
export interface Repository {
  readonly root: string;
  /** With HEAD and index of this work tree. */
  readonly gitDir: string;
  /** With objects and branches; another folder than gitDir in a linked worktree. */
  readonly commonDir: string;
}
