import type { Execution } from './execution.ts';
import type { TheirChanges } from './findings.ts';

/** The execution after a person changed something between two runs: it belongs to the state from before the work. */
export function withTheirs(execution: Execution, theirs: TheirChanges | undefined): Execution {
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
