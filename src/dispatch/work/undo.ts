import { join } from 'node:path';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { namedCommit } from '../../workspace/shadow/object-store.ts';
import { storeOf } from '../../workspace/shadow/private-repository.ts';
import { shadowRef } from '../../workspace/shadow/take-shadow.ts';
import { undoRun } from '../../workspace/undo-run.ts';
import { prepareGit, refuseMoved } from '../git-undo-of-task.ts';
import { ignoredBack, prepareIgnored, refuseIgnored } from '../ignored-undo-of-task.ts';
import type { RunWorld } from '../run-world.ts';
import { setAsideExecuted } from './set-aside.ts';
import { changeableStates, type LeftWork, nothingDone, type States, type WorkDone } from './work.ts';

/** Takes back what the work did to files, and moves away what came with it and git would execute. */
export async function undoOf(world: RunWorld, work: LeftWork, isKept: boolean): Promise<WorkDone | Refusal> {
  const states = await appliedStates(world, work);
  if (isRefusal(states)) return states;
  const { found, left, theirs } = states;
  const git = await prepareGit(world, work, states);
  if (isRefusal(git)) return git;
  if (git.movedSince.length > 0 && !isKept) return refuseMoved(work, git.movedSince);
  const ignored = prepareIgnored(world, work, states);
  if (ignored.changedSince.length > 0 && !isKept) return refuseIgnored(work, ignored.changedSince);
  const label = `${work.round}/undo`;
  const undone = await undoRun(theirs, {
    task: work.task.id,
    label,
    before: found,
    after: left,
    isKept,
    atMs: world.clock.now().wallMs,
    refs: refsOf(work, states),
  });
  if (isRefusal(undone)) return { ...undone, hint: `baton undo ${work.task.id} --keep saves them first, then undoes` };
  const executions = [work.execution, ...work.earlier().slice(0, work.round - states.firstRound)];
  const folder = join(world.dataFolder, 'undone', work.task.id, `${work.round}`);
  // In a copied or moved repository the recorded paths may lead to the original.
  const isHere = states.worktree === null && theirs.recordedIn === undefined;
  const aside = isHere ? setAsideExecuted({ executions, folder }) : [];
  const files = [...undone.files.map(({ path }) => path), ...aside];
  const { saved, present } = undone;
  const { restored, kept } = await git.perform();
  const back = ignored.perform();
  const stays = [...git.movedSince.map(leftText), ...git.lost, ...ignored.left];
  const done = {
    ...nothingDone(states),
    files,
    git: restored,
    keptCommits: kept,
    left: stays,
    ...ignoredBack(world, work, back),
  };
  return saved.length === 0 ? done : { ...done, keptAs: present.commit, keptIn: storeOf(theirs).objects, saved };
}

function leftText(name: string): string {
  return `${name}: it was moved since`;
}

/** The refs of the two states. */
function refsOf({ task, round, execution }: LeftWork, { worktree, firstRound }: States) {
  const ref = (label: string) => shadowRef(task.id, label);
  if (worktree !== null) return { before: ref(`${round}/apply-before`), after: ref(`${round}/apply-after`) };
  const at = execution.attempts.findLastIndex(({ collected }) => collected?.commit);
  const name = execution.attempts[at]?.verified?.commit ? 'verified' : 'after';
  const after = execution.rolledBack?.commit ? 'rolled-back' : `${name}-${at + 1}`;
  return { before: ref(`${firstRound}/before`), after: ref(`${round}/${after}`) };
}

/** The states of the user's files. Work in a worktree counts only once it was applied. */
async function appliedStates(world: RunWorld, work: LeftWork): Promise<States | Refusal> {
  const states = await changeableStates(world, work);
  if (isRefusal(states) || states.worktree === null) return states;
  const store = storeOf(states.theirs);
  const [before, after] = ['apply-before', 'apply-after'].map((name) =>
    namedCommit(store, shadowRef(work.task.id, `${work.round}/${name}`)),
  );
  if (before === 'torn' || after === 'torn') {
    return refuse('saved_files_damaged', `the record of what ${work.task.id} applied is damaged`);
  }
  if (before && after) return { ...states, found: before, left: after };
  const refusal = refuse(
    'invalid_argument',
    `${work.task.id} was done in a worktree and never applied: your files are as before`,
  );
  return { ...refusal, hint: `baton discard ${work.task.id} drops it` };
}
