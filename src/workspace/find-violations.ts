import { isWithin, wholePath } from '../domain/path-text.ts';

export interface WriteGrant {
  /** Where the agent saw the files that changed, also when they lay in a worktree in truth. */
  readonly workspaceRoot: string;
  /** Whole and real. */
  readonly writePaths: readonly string[];
  /** Bound below a write path: inputs that are only to be read. */
  readonly readOnlyPaths?: readonly string[];
}

/** Files that a run changed although it was not granted them, in the order given. */
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
