import type { Execution } from '../domain/execution/execution.ts';
import { gitChangesOf } from '../domain/execution/recorded-changes.ts';
import type { Refusal } from '../domain/refusal.ts';
import { isSameGit } from '../workspace/git-state/saved-states.ts';
import { NO_GIT_UNDO, type PreparedGitUndo, prepareGitUndo } from '../workspace/git-state/undo-git-state.ts';
import { readHead } from '../workspace/read-head.ts';
import type { LeftWork, States } from './work.ts';
import type { WorkWorld } from './work-world.ts';

/** Prepares to take back what the work did to git itself. In a worktree an agent reaches no branch, index or stash of the user's. */
export async function prepareGit(world: WorkWorld, work: LeftWork, states: States): Promise<PreparedGitUndo | Refusal> {
  const { dataFolder } = world;
  const range = states.worktree === null ? gitRange(dataFolder, work, states) : null;
  if (range === null) return NO_GIT_UNDO;
  const isDestroyed = gitChangesOf(work.execution).gitChanges.some(({ kind }) => kind === 'repository');
  if (isDestroyed && (await readHead(states.theirs.repository).catch(() => null)) === null) {
    const gone =
      '.git, which the work destroyed: Baton has no copy of commits and branches; bring it back from a clone or a backup';
    return { ...NO_GIT_UNDO, lost: [gone] };
  }
  const order = { ...range, reason: `baton undo ${work.task.id}` };
  return await prepareGitUndo({ repository: states.theirs.repository, dataFolder }, order);
}

/** The states of git before the first and after the last of the rounds that are undone. */
export function gitRange(dataFolder: string, { round, execution, earlier }: LeftWork, { firstRound }: States) {
  const range = rangeOf(execution);
  if (range === null) return null;
  for (const before of earlier().slice(0, round - firstRound)) {
    const one = rangeOf(before);
    // Between the rounds a person may have committed.
    if (one === null || !isSameGit(dataFolder, one.after, range.before)) return range;
    range.before = one.before;
  }
  return range;
}

function rangeOf(execution: Execution): { before: string; readonly after: string } | null {
  const before = execution.snapshotted?.gitState;
  return before === undefined ? null : { before, after: gitChangesOf(execution).gitState ?? before };
}
