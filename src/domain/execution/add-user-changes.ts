import type { Fact } from './fact.ts';
import type { TheirChanges } from './findings.ts';

interface BeforeWork {
  readonly snapshotted: Extract<Fact, { readonly kind: 'snapshotted' }> | null;
  readonly theirFiles: readonly string[];
  readonly overlapping: readonly string[];
}

/** The execution after a person changed something between two runs: it belongs to the state from before the work. */
export function addUserChanges<Run extends BeforeWork>(execution: Run, theirs: TheirChanges | undefined): Run {
  const { snapshotted } = execution;
  if (!theirs || !snapshotted) return execution;
  const { commit, checkedCommit, gitState, ignoredState } = theirs;
  const beside = {
    ...(gitState !== undefined && { gitState }),
    ...(ignoredState !== undefined && { ignoredState, checkedIgnored: ignoredState }),
  };
  return {
    ...execution,
    snapshotted: { ...snapshotted, commit, checkedCommit, ...beside },
    theirFiles: [...new Set([...execution.theirFiles, ...theirs.files])],
    overlapping: [...new Set([...execution.overlapping, ...theirs.overlapping])],
  };
}
