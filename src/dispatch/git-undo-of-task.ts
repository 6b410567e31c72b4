import { type Execution, gitChangesOf } from '../domain/execution/execution.ts';
import { compareGitStates } from '../domain/git-state.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import { savedState } from '../workspace/git-state/saved-states.ts';
import { NO_GIT_UNDO, type PreparedGitUndo, prepareGitUndo } from '../workspace/git-state/undo-git-state.ts';
import type { RunWorld } from './run-world.ts';
import type { LeftWork, States } from './work/work.ts';

/** Prepares to take back what the work did to git itself. In a worktree an agent reaches no branch, index or stash of the user's. */
export async function prepareGit(world: RunWorld, work: LeftWork, states: States): Promise<PreparedGitUndo | Refusal> {
  const { dataFolder } = world;
  const range = states.worktree === null ? gitRange(dataFolder, work, states) : null;
  if (range === null) return NO_GIT_UNDO;
  const order = { ...range, reason: `baton undo ${work.task.id}` };
  return await prepareGitUndo({ repository: states.theirs.repository, dataFolder }, order);
}

/** The states of git before the first and after the last of the rounds that are undone. */
function gitRange(dataFolder: string, { round, execution, earlier }: LeftWork, { firstRound }: States) {
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

function isSameGit(dataFolder: string, one: string, other: string): boolean {
  const [left, found] = [one, other].map((name) => savedState(dataFolder, name));
  return one === other || Boolean(left && found && compareGitStates(left, found).length === 0);
}

/** Refuses an undo of something that a person moved since. */
export function refuseMoved({ task }: LeftWork, names: readonly string[]): Refusal {
  const what =
    names.length === 1
      ? 'something of git that the run changed was'
      : `${names.length} things of git that the run changed were`;
  const hint = `baton undo ${task.id} --keep leaves ${names.length === 1 ? 'it' : 'them'} and undoes the rest`;
  return { ...refuse('changed_since', `${what} changed again since`), hint, details: names };
}
