import { type Execution, firstCommit, gitSearchOf, lastCommit, leftCommit } from '../domain/execution/execution.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { Task } from '../domain/task.ts';
import { applyRun, branchRun } from '../workspace/apply-run.ts';
import { changedFiles, diffText } from '../workspace/diff-shadows.ts';
import { forgetPrivateRepository, type ShadowPlace } from '../workspace/shadow/private-repository.ts';
import { takeShadow } from '../workspace/shadow/take-shadow.ts';
import { removeWorktree } from '../workspace/worktree/remove-worktree.ts';
import type { RunWorld } from './run-world.ts';
import { folderOfExecution, workFolderOf } from './workplace/work-folder.ts';

/** The work of one round of a task. */
export interface LeftWork {
  readonly task: Task;
  readonly round: number;
  readonly execution: Execution;
  /** The earlier rounds, newest first. */
  earlier(): readonly Execution[];
}

export interface States {
  /** The shadow commits before and after the agent's work. */
  readonly before: string;
  readonly after: string;
  /** The shadow commits before and after everything that ran for the order, Baton's checks included. */
  readonly found: string;
  readonly left: string;
  /** The round that started from `found`. */
  readonly firstRound: number;
  /** The user's own files. Recorded states are read through them, since a worktree may be gone. */
  readonly theirs: ShadowPlace;
  /** The worktree of the work; null if the agent worked in the user's files. */
  readonly worktree: ShadowPlace | null;
}

/** The effect of apply, branch, discard or undo. */
export interface WorkDone {
  readonly files: readonly string[];
  readonly branch: string | null;
  readonly commit: string | null;
  readonly keptAs: string | null;
}

export const NOTHING_DONE: WorkDone = { files: [], branch: null, commit: null, keptAs: null };

export async function diffOf(world: RunWorld, work: LeftWork) {
  const states = await statesOf(world, work);
  if (isRefusal(states)) return states;
  const { before, after, theirs } = states;
  const [files, { text, isTruncated }] = await Promise.all([
    changedFiles(theirs, { before, after }),
    diffText(theirs, { before, after }),
  ]);
  return { before, after, files, text: isTruncated ? `${text}\n[cut off here: the difference is longer]\n` : text };
}

/** Null unless the work contains something that git executes: that takes a person's yes. */
export function refuseExecuted({ task, execution }: LeftWork): Refusal | null {
  const { executedByGit } = gitSearchOf(execution);
  if (executedByGit.length === 0 || execution.snapshotted?.workplace.kind !== 'worktree') return null;
  const [first] = executedByGit;
  const more = executedByGit.length > 1 ? ` and ${executedByGit.length - 1} more` : '';
  const refusal = refuse('executed_by_git', `a part of the work will be executed by git: ${first?.path}${more}`);
  const details = executedByGit.map(({ path, reason }) => `${path} (${reason})`);
  return { ...refusal, hint: refusal.hint.replaceAll('TASK', task.id), details };
}

/** Applies the work of a worktree to the user's files, uncommitted; the state before it is recorded for an undo. */
export async function applyOf(world: RunWorld, work: LeftWork): Promise<WorkDone | Refusal> {
  const states = await statesOf(world, work);
  if (isRefusal(states)) return states;
  if (states.worktree === null) {
    const refusal = refuse('invalid_argument', `${work.task.id} was done in your files: they have it already`);
    return { ...refusal, hint: `baton diff ${work.task.id} shows it, baton undo ${work.task.id} puts them back` };
  }
  const { before, after, theirs } = states;
  const about = { task: work.task.id, atMs: world.clock.now().wallMs };
  const applied = await applyRun(theirs, { ...about, before, after, label: `${work.round}/apply-before` });
  if (isRefusal(applied) || applied.files.length === 0) return isRefusal(applied) ? applied : NOTHING_DONE;
  await takeShadow(theirs, { ...about, label: `${work.round}/apply-after` });
  return { ...NOTHING_DONE, files: applied.files.map(({ path }) => path) };
}

export async function branchOf(world: RunWorld, work: LeftWork, branch: string): Promise<WorkDone | Refusal> {
  const states = await statesOf(world, work);
  if (isRefusal(states)) return states;
  const { before, after, theirs } = states;
  const made = await branchRun(theirs, {
    branch,
    message: `${work.task.title}\n\nBaton-Task: ${work.task.id}\n`,
    author: null,
    before,
    after,
    head: work.execution.snapshotted?.head ?? null,
    atMs: world.clock.now().wallMs,
  });
  if (isRefusal(made)) return made;
  const files = await changedFiles(theirs, { before, after });
  return { ...NOTHING_DONE, branch: made.branch, commit: made.commit, files: files.map(({ path }) => path) };
}

export async function discardOf(world: RunWorld, work: LeftWork): Promise<WorkDone | Refusal> {
  const states = await statesOf(world, work);
  if (isRefusal(states)) return states;
  if (states.worktree === null) {
    const refusal = refuse('invalid_argument', `${work.task.id} was done in your files, not in a worktree`);
    return { ...refusal, hint: `baton undo ${work.task.id} puts them back` };
  }
  const { worktree, theirs, after } = states;
  const files = await changedFiles(theirs, states);
  if (!removeWorktree(worktree.root)) return { ...NOTHING_DONE, keptAs: after };
  forgetPrivateRepository(worktree);
  return { ...NOTHING_DONE, files: files.map(({ path }) => path), keptAs: after };
}

/** The states of a work that has begun; a refusal where nothing was recorded. */
export async function statesOf({ dataFolder }: RunWorld, work: LeftWork): Promise<States | Refusal> {
  const { task, round, execution } = work;
  const { order, snapshotted, attempts } = execution;
  const after = lastCommit(execution);
  const left = leftCommit(execution);
  const before = firstCommit(execution);
  if (!snapshotted || attempts.length === 0) return refuse('not_running', `${task.id} has not been worked on yet`);
  const { workplace, commit, repository } = snapshotted;
  const folder = folderOfExecution(execution, dataFolder);
  const theirs = workFolderOf({ order, workplace: { kind: 'in-place' }, dataFolder, repository }).shadows;
  if (commit === null || before === null || folder.shadows === null || theirs === null) {
    const refusal = refuse('invalid_argument', `${order.workspaceRoot} is not in git, so nothing of it was recorded`);
    return { ...refusal, hint: 'git init there, and a commit: the next run can then be seen and undone' };
  }
  if (after === null || left === null) return refuse('not_running', `${task.id} is still being worked on`);
  const states = { before, found: commit, firstRound: round, after, left, theirs, worktree: null };
  if (workplace.kind === 'worktree') return { ...states, worktree: folder.shadows };
  return { ...states, ...(await firstState(theirs, states, work)) };
}

/** The state before the first of several rounds between which the user changed nothing. */
async function firstState(
  theirs: ShadowPlace,
  { before, found, firstRound }: Pick<States, 'before' | 'found' | 'firstRound'>,
  { earlier }: LeftWork,
): Promise<Pick<States, 'before' | 'found' | 'firstRound'>> {
  const first = { before, found, firstRound };
  for (const execution of earlier()) {
    const { snapshotted } = execution;
    const left = leftCommit(execution);
    if (!snapshotted?.commit || left === null || snapshotted.workplace.kind !== 'in-place') return first;
    if ((await changedFiles(theirs, { before: left, after: first.found })).length > 0) return first;
    first.before = firstCommit(execution) ?? snapshotted.commit;
    first.found = snapshotted.commit;
    first.firstRound -= 1;
  }
  return first;
}
