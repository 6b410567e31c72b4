import { isWithin, wholePath } from '../domain/path-text.ts';

export interface WriteGrant {
  /** Where the agent saw the files that changed, also when they lay in a worktree in truth. */
  readonly workspaceRoot: string;
  /** Whole and real. */
  readonly writePaths: readonly string[];
}

/** Files that a run changed although it was not granted them, in the order given. */
export function findViolations(
  changed: readonly { readonly path: string }[],
  { workspaceRoot, writePaths }: WriteGrant,
): string[] {
  return changed
    .map(({ path }) => path)
    .filter((path) => !writePaths.some((granted) => isWithin(granted, wholePath(workspaceRoot, path))));
}
