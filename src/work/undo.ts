import { existsSync } from 'node:fs';
import { isRefusal, type Refusal, refuse, refuseTask } from '../domain/refusal.ts';
import { selectLastPoint } from '../ledger/statements/points.ts';
import { changedFiles } from '../workspace/diff-shadows.ts';
import { namedCommit } from '../workspace/shadow/object-store.ts';
import { storeOf } from '../workspace/shadow/private-repository.ts';
import { shadowRef, takeShadow } from '../workspace/shadow/take-shadow.ts';
import { undoRun } from '../workspace/undo/undo-run.ts';
import { recordedState } from './place/record-state.ts';
import { spansOfRewound } from './points-in-folder.ts';
import { asideFolderFor, setAsideExecuted } from './set-aside.ts';
import { prepareGit } from './undo-git.ts';
import { isOfAgent, prepareUnrecorded, refuseIgnored } from './undo-unrecorded.ts';
import { changeableStates, type LeftWork, nothingDone, type States, type WorkDone } from './work.ts';
import type { WorkWorld } from './work-world.ts';

/** Takes back what the work did to files, and moves away what came with it and git would execute. */
export async function undoOf(world: WorkWorld, work: LeftWork, isKept: boolean): Promise<WorkDone | Refusal> {
  const states = await appliedStates(world, work);
  if (isRefusal(states)) return states;
  const { found, left, theirs } = states;
  const git = await prepareGit(world, work, states);
  if (isRefusal(git)) return git;
  if (git.movedSince.length > 0 && !isKept) return refuseMoved(work, git.movedSince);
  const unrecorded = await prepareUnrecorded(world, work, { states, ...startOf(work, states) });
  if (isRefusal(unrecorded)) return unrecorded;
  const { ignored, nested, asideFolder, repositories } = unrecorded;
  if (ignored.changedSince.length > 0 && !isKept) return refuseIgnored(work, ignored.changedSince);
  if (nested.movedSince.length > 0 && !isKept) return refuseMoved(work, nested.movedSince);
  const label = `${work.round}/undo`;
  const within = states.worktree === null ? spansOfRewound(world.ledger.read, work.task.id, work.execution) : undefined;
  const undone = await undoRun(theirs, {
    task: work.task.id,
    label,
    before: found,
    after: left,
    earlier: states.earlierSpans,
    isKept,
    atMs: world.clock.now().wallMs,
    refs: refsOf(work, states),
    exceptIn: repositories,
    ...(within && { within }),
    ...startOf(work, states),
  });
  if (isRefusal(undone)) return { ...undone, hint: `baton undo ${work.task.id} --keep saves them first, then undoes` };
  const executions = [work.execution, ...work.earlier().slice(0, work.round - states.firstRound)];
  const folder = asideFolderFor(world.dataFolder, work.task.id, work.round);
  // In a copied or moved repository the recorded paths may lead to the original.
  const isHere = states.worktree === null && theirs.recordedIn === undefined;
  const aside = isHere ? setAsideExecuted({ executions, folder, dataFolder: world.dataFolder }) : [];
  const { saved: overwritten, present } = undone;
  const gitDone = [await git.perform(), await nested.perform()];
  const back = ignored.perform();
  const recorded = [...undone.files.map(({ path }) => path), ...aside];
  const isAgents = await agentsOwn(states);
  const isUnrecordedWork = isOfAgent(world.dataFolder, work, states);
  const stays = [git, nested].flatMap(({ movedSince, lost }) => [...movedSince.map(leftText), ...lost]);
  const done = {
    ...nothingDone(states),
    files: [...recorded.filter(isAgents), ...back.unrecorded.filter(isUnrecordedWork)],
    ofChecks: [
      ...recorded.filter((path) => !isAgents(path)),
      ...[...back.unrecorded, ...back.ignored].filter((path) => !isUnrecordedWork(path)),
    ],
    git: gitDone.flatMap(({ restored }) => restored),
    keptCommits: gitDone.flatMap(({ kept }) => kept),
    left: [...stays, ...ignored.left],
    ignored: back.ignored.filter(isUnrecordedWork),
    asideFolder: existsSync(asideFolder) ? asideFolder : null,
    savedIgnored: ignored.changedSince,
    ...(await stateAfter(world, work, { states, isChanged: recorded.length > 0 })),
  };
  if (overwritten.length === 0) return done;
  return { ...done, keptAs: present.commit, keptIn: storeOf(theirs).objects, saved: overwritten };
}

/** Work that was undone in place leaves files that a rewind starts from; nothing where no file changed. */
async function stateAfter(
  world: WorkWorld,
  { task, round }: LeftWork,
  { states, isChanged }: { readonly states: States; readonly isChanged: boolean },
): Promise<Pick<WorkDone, 'state'>> {
  if (!isChanged || states.worktree !== null) return {};
  const number = (selectLastPoint(world.ledger.read, task.id)?.number ?? 0) + 1;
  const label = `${round}/undone-${number}`;
  const shadow = await takeShadow(states.theirs, { task: task.id, label, atMs: world.clock.now().wallMs });
  return { state: await recordedState(world, states.theirs, { task: task.id, label, shadow }) };
}

type IsAgents = (path: string) => boolean;

/** Whether the agent, and not a check, changed a recorded file. */
async function agentsOwn(states: States): Promise<IsAgents> {
  const { theirs, worktree, earlierSpans, before, after } = states;
  if (worktree !== null || earlierSpans.length > 0) return () => true;
  const changed = new Set((await changedFiles(theirs, { before, after })).map(({ path }) => path));
  return (path) => changed.has(path) || path.startsWith('/');
}

function leftText(name: string): string {
  return `${name}: it was moved since`;
}

/** The first run of the rounds that are undone. Applied work has no such time. */
function startOf({ execution, earlier, round }: LeftWork, { worktree, firstRound, earlierSpans }: States) {
  const rounds = [execution, ...earlier().slice(0, round - firstRound + earlierSpans.length)];
  const startedAtMs = rounds.at(-1)?.attempts.find(({ startedAt }) => startedAt > 0)?.startedAt;
  return worktree !== null || startedAtMs === undefined ? {} : { startedAtMs };
}

/** The refs of the two states. */
export function refsOf({ task, round, execution }: LeftWork, { worktree, firstRound }: States) {
  const ref = (label: string) => shadowRef(task.id, label);
  if (worktree !== null) return { before: ref(`${round}/apply-before`), after: ref(`${round}/apply-after`) };
  const first = ref(`${firstRound}/before`);
  if (execution.rewound) return { before: first, after: ref(execution.rewound.label) };
  const at = execution.attempts.findLastIndex(({ collected }) => collected?.commit);
  const name = execution.attempts[at]?.verified?.commit ? 'verified' : 'after';
  const after = execution.rolledBack?.commit ? 'rolled-back' : `${name}-${at + 1}`;
  return { before: first, after: ref(`${round}/${after}`) };
}

/** The states of the user's files. Work in a worktree counts only once it was applied. */
async function appliedStates(world: WorkWorld, work: LeftWork): Promise<States | Refusal> {
  const states = await changeableStates(world, work);
  if (isRefusal(states) || states.worktree === null) return states;
  const store = storeOf(states.theirs);
  const [before, after] = ['apply-before', 'apply-after'].map((name) =>
    namedCommit(store, shadowRef(work.task.id, `${work.round}/${name}`)),
  );
  if (before === 'torn' || after === 'torn') {
    return refuseTask('saved_files_damaged', `the record of what ${work.task.id} applied is damaged`, work.task.id);
  }
  if (before && after) return { ...states, found: before, left: after };
  const last = work.execution.workFacts.at(-1);
  if (last?.kind === 'applied' && last.branch !== null) {
    const message = `${work.task.id} was applied as the branch ${last.branch}: your files are as before`;
    return { ...refuse('invalid_argument', message), hint: `git branch -D ${last.branch} removes the branch` };
  }
  const refusal = refuse(
    'invalid_argument',
    `${work.task.id} was done in a worktree and never applied: your files are as before`,
  );
  return { ...refusal, hint: `baton discard ${work.task.id} drops it` };
}

/** Refuses an undo of something that a person moved since. */
function refuseMoved({ task }: LeftWork, names: readonly string[]): Refusal {
  const what =
    names.length === 1
      ? 'something of git that the run changed was'
      : `${names.length} things of git that the run changed were`;
  const hint = `baton undo ${task.id} --keep leaves ${names.length === 1 ? 'it' : 'them'} and undoes the rest`;
  return { ...refuseTask('changed_since', `${what} changed again since`, task.id), hint, details: names };
}
