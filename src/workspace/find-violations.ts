import { isWithin, wholePath } from '../domain/work/path-text.ts';

export interface WriteGrant {
  /** The root as the agent sees it, also when its files are in a worktree. */
  readonly workspaceRoot: string;
  /** Absolute, with links resolved. */
  readonly writePaths: readonly string[];
  /** Read-only inputs below a write path. */
  readonly readOnlyPaths?: readonly string[];
}

/** Files that a run changed without a grant for them, in the order given. */
export function findViolations(
  changed: readonly { readonly path: string }[],
  { workspaceRoot, writePaths, readOnlyPaths = [] }: WriteGrant,
): string[] {
  return changed
    .map(({ path }) => path)
    .filter((path) => {
      const liesIn = (folder: string) => isWithin(folder, wholePath(workspaceRoot, path));
      return !writePaths.some(liesIn) || readOnlyPaths.some(liesIn);
    });
}
