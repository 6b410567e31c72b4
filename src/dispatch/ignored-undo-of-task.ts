import { join } from 'node:path';
import { ignoredOf } from '../domain/execution/execution.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import { NO_IGNORED_UNDO, type PreparedIgnoredUndo, prepareIgnoredUndo } from '../workspace/ignored/undo-ignored.ts';
import type { RunWorld } from './run-world.ts';
import type { LeftWork, States, WorkDone } from './work/work.ts';

/** Prepares to put ignored files back. In a worktree they are the agent's own. */
export function prepareIgnored(world: RunWorld, work: LeftWork, states: States): PreparedIgnoredUndo {
  const { dataFolder, clock } = world;
  const rounds = [work.execution, ...work.earlier().slice(0, work.round - states.firstRound)];
  const before = rounds.at(-1)?.snapshotted?.ignoredState;
  const after = rounds.map((one) => ignoredOf(one).ignoredState ?? one.snapshotted?.checkedIgnored).find(Boolean);
  if (states.worktree !== null || before === undefined || after === undefined) return NO_IGNORED_UNDO;
  const asideFolder = asideFolderOf(world, work);
  return prepareIgnoredUndo({
    root: states.theirs.root,
    dataFolder,
    before,
    after,
    asideFolder,
    atMs: clock.now().wallMs,
  });
}

function asideFolderOf({ dataFolder }: RunWorld, { task, round }: LeftWork): string {
  return join(dataFolder, 'undone', task.id, `${round}`, 'ignored');
}

/** The part of an answer about ignored files. */
export function ignoredBack(
  world: RunWorld,
  work: LeftWork,
  ignored: readonly string[],
): Pick<WorkDone, 'ignored' | 'asideFolder'> {
  return { ignored, asideFolder: ignored.length === 0 ? null : asideFolderOf(world, work) };
}

/** Refuses an undo of ignored files that a person changed since. */
export function refuseIgnored({ task }: LeftWork, names: readonly string[]): Refusal {
  const what = names.length === 1 ? 'an ignored file of the run was' : `${names.length} ignored files of the run were`;
  const hint = `baton undo ${task.id} --keep saves them first, then undoes`;
  return { ...refuse('changed_since', `${what} changed since`), hint, details: names };
}
