import type { Execution } from '../domain/execution/execution.ts';
import type { Workplace } from '../domain/execution/findings.ts';
import {
  firstCommit,
  gitChangesOf,
  gitSearchOf,
  gitTexts,
  ignoredSentences,
  lastCommit,
  leftCommit,
} from '../domain/execution/recorded-changes.ts';
import { DIFF_FILE_BYTES_MAX } from '../domain/http-limits.ts';
import { isRefusal, type Refusal, refuse, refuseTask } from '../domain/refusal.ts';
import type { Task } from '../domain/task/task.ts';
import type { RecordedState } from '../domain/work/point.ts';
import { selectLastPoint } from '../ledger/statements/points.ts';
import { changedFiles, diffText } from '../workspace/diff-shadows.ts';
import type { KeptCommit } from '../workspace/git-state/undo-git-state.ts';
import { branchRun } from '../workspace/merge/branch-run.ts';
import { isOfBaton } from '../workspace/own-folders.ts';
import { forgetPrivateRepository, type ShadowPlace, storeOf } from '../workspace/shadow/private-repository.ts';
import { hasShadow } from '../workspace/shadow/take-shadow.ts';
import { removeWorktree } from '../workspace/worktree/remove-worktree.ts';
import { type FirstState, firstState, stateWithoutWork } from './earlier-rounds.ts';
import { shadowsOf } from './place/work-folder.ts';
import {
  findRecordedWorkspace,
  recordedRepository,
  refuseGone,
  refuseNoWork,
  refuseUnrecorded,
  refuseWithoutGit,
} from './recorded-workspace.ts';
import type { WorkWorld } from './work-world.ts';

/** The work of one round of a task. */
export interface LeftWork {
  readonly task: Task;
  readonly round: number;
  readonly execution: Execution;
  /** The earlier rounds, newest first. */
  earlier(): readonly Execution[];
}

export interface States extends FirstState {
  /** The shadow commits before and after the agent's work. */
  readonly before: string;
  readonly after: string;
  /** The shadow commits before and after everything that ran for the order, Baton's checks included. */
  readonly found: string;
  readonly left: string;
  /** The user's own files. Recorded states are read through them, since a worktree may be gone. */
  readonly theirs: ShadowPlace;
  /** The user's files are no longer there. */
  readonly isGone: boolean;
  /** The worktree of the work; null if the agent worked in the user's files. */
  readonly worktree: ShadowPlace | null;
}

/** The effect of apply, branch, discard or undo. */
export interface WorkDone {
  /** The root of the user's repository. */
  readonly folder: string;
  readonly files: readonly string[];
  readonly branch: string | null;
  readonly commit: string | null;
  readonly keptAs: string | null;
  /** The folder of objects that has the commit `keptAs`. */
  readonly keptIn: string | null;
  /** Files with changes of the user that an undo overwrote; `keptAs` has them. */
  readonly saved: readonly string[];
  /** Branches, index, stash and the like that an undo put back. */
  readonly git: readonly string[];
  /** Ignored files that an undo put back or removed, and those with changes of the user; their state before it is in `asideFolder`. */
  readonly ignored: readonly string[];
  readonly savedIgnored: readonly string[];
  /** Files that the checks wrote, not the agent, and that an undo put back or removed. */
  readonly ofChecks: readonly string[];
  readonly asideFolder: string | null;
  /** Things that an undo left as they are, with the reason. */
  readonly left: readonly string[];
  /** Commits that branches or HEAD were at before the undo: git keeps them for some weeks. */
  readonly keptCommits: readonly KeptCommit[];
  /** The files of the task's workplace after it, as a state to rewind to; absent where they did not change. */
  readonly state?: RecordedState;
}

export function nothingDone({ theirs }: States): WorkDone {
  return {
    folder: theirs.root,
    files: [],
    branch: null,
    commit: null,
    keptAs: null,
    keptIn: null,
    saved: [],
    git: [],
    ignored: [],
    asideFolder: null,
    savedIgnored: [],
    ofChecks: [],
    left: [],
    keptCommits: [],
  };
}

const NO_TEXT = { text: '', isTruncated: false };

/** `none`: the names and sizes of the files alone; a number: the text of that file alone, up to a bound. */
export type WantedText = 'all' | 'none' | number;

export async function diffOf(world: WorkWorld, work: LeftWork, wanted: WantedText = 'all') {
  const states = await statesOf(world, work, stateOfLiveRun(world, work));
  if (isRefusal(states)) return states;
  const { after, theirs } = states;
  const before = await stateWithoutWork(states);
  const files = await changedFiles(theirs, { before, after });
  const path = typeof wanted === 'number' ? files[wanted]?.path : undefined;
  const isNone = wanted === 'none' || (typeof wanted === 'number' && path === undefined);
  const wish = path === undefined ? {} : { paths: [path], hasBinary: false, bytesMax: DIFF_FILE_BYTES_MAX };
  const { text, isTruncated } = isNone ? NO_TEXT : await diffText(theirs, { before, after }, wish);
  const git = gitTexts(work.execution, work.task.id);
  const ignored = ignoredSentences(work.execution);
  return {
    before,
    after,
    files,
    git,
    ignored,
    text: isTruncated ? `${text}\n[cut off here: the difference is longer]\n` : text,
  };
}

/** Null unless the work contains something that git executes: that takes a person's yes. */
export function refuseExecuted({ task, execution }: LeftWork): Refusal | null {
  const { executedByGit } = gitSearchOf(execution);
  if (executedByGit.length === 0 || execution.snapshotted?.workplace.kind !== 'worktree') return null;
  const [first] = executedByGit;
  const more = executedByGit.length > 1 ? ` and ${executedByGit.length - 1} more` : '';
  const message = `a part of the work will be executed by git: ${first?.path}${more}`;
  const details = executedByGit.map(({ path, reason }) => `${path} (${reason})`);
  return { ...refuseTask('executed_by_git', message, task.id), details };
}

export async function discardOf(world: WorkWorld, work: LeftWork): Promise<WorkDone | Refusal> {
  const states = await statesOf(world, work);
  if (isRefusal(states)) return states;
  if (states.worktree === null) {
    const refusal = refuse('invalid_argument', `${work.task.id} was done in your files, not in a worktree`);
    return { ...refusal, hint: `baton undo ${work.task.id} puts them back` };
  }
  const { worktree, theirs, after } = states;
  const files = await changedFiles(theirs, states);
  const kept = { ...nothingDone(states), keptAs: after, keptIn: storeOf(theirs).objects };
  if (!removeWorktree(worktree.root)) return kept;
  forgetPrivateRepository(worktree);
  return { ...kept, files: files.map(({ path }) => path) };
}

/** The states of a work whose files can be changed. */
export async function changeableStates(world: WorkWorld, work: LeftWork): Promise<States | Refusal> {
  const states = await statesOf(world, work);
  return isRefusal(states) || !states.isGone ? states : refuseGone(states.theirs.root);
}

/** The states of a work that has begun; a refusal where nothing was recorded. */
/** The files after the last turn of a live run that changed some; null where none runs, and before that turn. */
function stateOfLiveRun({ ledger }: WorkWorld, { task, round }: LeftWork): string | null {
  const point = task.status === 'in-progress' ? selectLastPoint(ledger.read, task.id) : null;
  return point?.kind === 'turn' && point.round === round ? point.commit : null;
}

async function statesOf(
  { dataFolder }: WorkWorld,
  work: LeftWork,
  live: string | null = null,
): Promise<States | Refusal> {
  const { task, round, execution } = work;
  const { order, snapshotted, attempts, cleanedAt } = execution;
  const after = live ?? lastCommit(execution);
  const left = live ?? leftCommit(execution);
  const before = firstCommit(execution);
  if (!snapshotted || attempts.length === 0) return refuseNoWork(task, `${task.id} has not been worked on yet`);
  const { commit } = snapshotted;
  if (commit === null || before === null) return refuseWithoutGit(order);
  const places = await recordedPlaces(dataFolder, { order, snapshotted });
  if (isRefusal(places)) return places;
  const { theirs, isGone, worktree } = places;
  if (after === null || left === null) return refuseUnrecorded(task);
  if (cleanedAt !== null || !hasShadow(theirs, { task: task.id, label: `${round}/before`, commit: after }))
    return refuseRemoved(work, theirs);
  const own = { before, found: commit, firstRound: round, after, left, earlierSpans: [], earlierWork: [] };
  const states = { ...own, theirs, isGone, worktree: null };
  if (worktree !== null) return { ...states, worktree };
  return { ...states, ...(await firstState(theirs, states, work)) };
}

type RecordedPlaces = Pick<States, 'theirs' | 'isGone' | 'worktree'>;

/** The folders of a round, at their present places. */
export async function recordedPlaces(
  dataFolder: string,
  { order, snapshotted }: Pick<Execution, 'order'> & { readonly snapshotted: NonNullable<Execution['snapshotted']> },
): Promise<RecordedPlaces | Refusal> {
  const repository = recordedRepository(order, snapshotted);
  if (!repository) return refuseWithoutGit(order);
  const found = await findRecordedWorkspace({ ...snapshotted, repository }, dataFolder);
  if (isRefusal(found)) return found;
  const { workplace, isGone, recordedIn } = found;
  const at = { dataFolder, repository: found.repository, head: snapshotted.head };
  const placeFor = (where: Workplace) => ({
    ...shadowsOf({ ...at, workplace: where }),
    ...(recordedIn && { recordedIn }),
  });
  const theirs = placeFor({ kind: 'in-place' });
  return { theirs, isGone, worktree: workplace.kind === 'worktree' ? placeFor(workplace) : null };
}

function refuseRemoved({ task, execution: { cleanedAt } }: LeftWork, { keptFolder }: ShadowPlace): Refusal {
  const how = cleanedAt === null ? `are not in ${keptFolder}` : `were removed by baton clean ${dayAndTime(cleanedAt)}`;
  return refuseTask('work_removed', `the saved files of ${task.id} ${how}`, task.id);
}

function dayAndTime(atMs: number): string {
  const [day, time = ''] = new Date(atMs).toISOString().split('T');
  return `on ${day} at ${time.slice(0, 5)} UTC`;
}

interface BranchRequest {
  readonly branch: string;
  /** Keeps the agent's own commits; a further one has the rest of the work. */
  readonly keepsCommits: boolean;
}

/** Puts the work on a new branch, and leaves the user's files as they are. */
export async function branchOf(
  world: WorkWorld,
  work: LeftWork,
  { branch, keepsCommits }: BranchRequest,
): Promise<WorkDone | Refusal> {
  const states = await changeableStates(world, work);
  if (isRefusal(states)) return states;
  const { after, theirs } = states;
  const before = await stateWithoutWork(states);
  if (isOfBaton(world.dataFolder, theirs.repository)) return refuseWithoutGit(work.execution.order);
  const { ownCommits } = gitChangesOf(work.execution);
  if (keepsCommits && ownCommits === undefined) return noCommits(work);
  const made = await branchRun(theirs, {
    task: work.task.id,
    branch,
    message: `${work.task.title}\n\nBaton-Task: ${work.task.id}\n`,
    tip: keepsCommits ? (ownCommits?.tip ?? null) : null,
    before,
    after,
    head: work.execution.snapshotted?.head ?? null,
    atMs: world.clock.now().wallMs,
  });
  if (isRefusal(made)) return made;
  const files = await changedFiles(theirs, { before, after });
  return { ...nothingDone(states), branch: made.branch, commit: made.commit, files: files.map(({ path }) => path) };
}

function noCommits({ task }: LeftWork): Refusal {
  const message = `the agent of ${task.id} made no commits that follow the one it started from`;
  return {
    ...refuse('invalid_argument', message),
    hint: 'apply it without the commits: then the work becomes one commit',
  };
}
