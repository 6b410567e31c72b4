import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Execution } from '../domain/execution/execution.ts';
import type { Workplace } from '../domain/execution/findings.ts';
import type { Order } from '../domain/order/order.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Task } from '../domain/task/task.ts';
import { isWithin } from '../domain/work/path-text.ts';
import type { Repository } from '../domain/work/repository.ts';
import { selectFacts } from '../ledger/statements/run-facts.ts';
import { earlierDataFolder } from '../operations/note-data-folder.ts';
import type { OpenOrder } from '../operations/order/order-store.ts';
import { findRepository } from '../workspace/find-repository.ts';
import { git } from '../workspace/git.ts';
import { dataFolderOfRecord } from '../workspace/shadow/private-repository.ts';
import { WORKTREES } from './place/prepare-worktree.ts';
import type { WorkWorld } from './work-world.ts';

/** The workspace of a task that has run, at its present place. */
export interface RecordedWorkspace {
  readonly repository: Repository;
  readonly workplace: Workplace;
  /** The repository as it was recorded, which names its shadow commits; undefined where it is still there. */
  readonly recordedIn?: Repository;
  /** Nothing is at that path any more. */
  readonly isGone: boolean;
}

type SnapshottedFact = NonNullable<Execution['snapshotted']>;

/** The repository of a task as it was recorded; earlier versions recorded none, and it is searched for. */
export function recordedRepository({ workspaceRoot }: Pick<Order, 'workspaceRoot'>, { repository }: SnapshottedFact) {
  return repository === undefined ? findRepository(workspaceRoot) : repository;
}

/**
 * Finds the workspace of a task. A repository that was copied or moved together with its data folder is the one around that
 * folder: the recorded path may lead to the original.
 */
export async function findRecordedWorkspace(
  { workplace, head, repository: recorded }: SnapshottedFact & { readonly repository: Repository },
  dataFolder: string,
): Promise<RecordedWorkspace | Refusal> {
  const was = recordedDataFolder(workplace, recorded, dataFolder);
  if (realPath(was) === realPath(dataFolder) || !isWithin(recorded.root, was)) {
    return { repository: recorded, workplace, isGone: !existsSync(recorded.root) };
  }
  const inside = relative(recorded.root, was);
  const root = dataFolder.endsWith(`/${inside}`) ? realPath(dataFolder.slice(0, -inside.length - 1)) : null;
  const repository = root === null ? null : findRepository(root);
  if (repository === null || repository.root !== root || !(await hasCommit(repository, head))) {
    return refuseOther(recorded.root, dataFolder);
  }
  return { repository, workplace: movedWorkplace(workplace, dataFolder), recordedIn: recorded, isGone: false };
}

function recordedDataFolder(workplace: Workplace, { root }: Repository, dataFolder: string): string {
  if (workplace.kind === 'worktree') return dirname(dirname(workplace.folder));
  return dataFolderOfRecord(join(dataFolder, 'shadows'), root) ?? dataFolder;
}

function movedWorkplace(workplace: Workplace, dataFolder: string): Workplace {
  if (workplace.kind === 'in-place') return workplace;
  return { ...workplace, folder: join(dataFolder, WORKTREES, basename(workplace.folder)) };
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** Whether the repository has the commit that the task started from: a copy has, another repository has not. */
async function hasCommit({ gitDir, root }: Repository, commit: string | null): Promise<boolean> {
  if (commit === null) return true;
  const call = { args: ['cat-file', '-e', `${commit}^{commit}`], exitCodes: [0, 1, 128] };
  return (await git({ gitDir, workTree: root }, call)).exitCode === 0;
}

/**
 * The folder for a further round of a task: the one of its work, or the same one of this repository if it was copied or moved. Work in a worktree, or by an order that names its own paths, cannot continue there.
 */
export async function presentWorkspace(
  { workspaceRoot, isBound }: { readonly workspaceRoot: string; readonly isBound: boolean },
  { snapshotted }: Pick<Execution, 'snapshotted'>,
  dataFolder: string,
): Promise<string | Refusal> {
  const repository = snapshotted?.repository;
  if (!snapshotted || !repository) return workspaceRoot;
  const found = await findRecordedWorkspace({ ...snapshotted, repository }, dataFolder);
  if ('code' in found) return found;
  if (found.recordedIn === undefined || !isWithin(repository.root, realPath(workspaceRoot))) return workspaceRoot;
  if (isBound || snapshotted.workplace.kind === 'worktree') return refuseCopied(workspaceRoot, found.repository);
  return movedPath(workspaceRoot, repository, found.repository);
}

/** A path within a repository at the place of its copy; any other path as it is. */
function movedPath(path: string, from: Repository, to: Repository): string {
  const real = realPath(path);
  return isWithin(from.root, real) ? join(to.root, relative(from.root, real)) : path;
}

/**
 * The execution with the places of its files now, for checks that run there: a repository that was copied or moved has them
 * elsewhere. An order that names its own paths is refused in a copy.
 */
export async function presentExecution(execution: Execution, dataFolder: string): Promise<Execution | Refusal> {
  const { order, snapshotted } = execution;
  const from = snapshotted?.repository;
  if (!snapshotted || !from) return execution;
  const found = await findRecordedWorkspace({ ...snapshotted, repository: from }, dataFolder);
  if ('code' in found) return found;
  if (found.isGone) return refuseGone(from.root);
  const { recordedIn, repository, workplace } = found;
  if (recordedIn === undefined) return execution;
  if (!order.isInWords) {
    return { ...refuseCopied(order.workspaceRoot, repository), hint: 'run the checks by hand, or in a new task' };
  }
  const moved = (path: string) => movedPath(path, from, repository);
  const readPaths = order.access.readPaths.map(moved);
  const writePaths = order.access.writePaths.map(moved);
  return {
    ...execution,
    order: {
      ...order,
      workspaceRoot: moved(order.workspaceRoot),
      access: { ...order.access, readPaths, writePaths },
    },
    snapshotted: { ...snapshotted, repository, workplace },
  };
}

function refuseCopied(workspaceRoot: string, { root }: Repository): Refusal {
  const message = `the task was done in ${workspaceRoot}; ${root} is a copy of it, or it was moved`;
  return { ...refuse('invalid_argument', message), hint: `give it to a new task: baton run in ${root}` };
}

/**
 * Refuses to begin an order that was queued in the data folder that this one is a copy of, or was moved from: it names the
 * folder there. Null for any other order. Once work has begun, its recorded repository decides.
 */
export function refuseQueuedInCopy(
  { ledger: { read } }: Pick<WorkWorld, 'ledger'>,
  { task, round, execution: { order } }: Pick<OpenOrder, 'task' | 'round' | 'execution'>,
): Refusal | null {
  const earlier = earlierDataFolder(read);
  if (earlier === null) return null;
  const isAround =
    isWithin(order.workspaceRoot, earlier.folder) || isWithin(dirname(earlier.folder), realPath(order.workspaceRoot));
  if (earlier.isGone && !isAround) return null;
  for (let number = 1; number <= round; number++) {
    const [first, ...later] = selectFacts(read, { taskId: task.id, round: number });
    if (first?.kind !== 'ordered' || later.some(({ kind }) => kind === 'snapshotted')) return null;
    if (first.at >= earlier.at || first.order.workspaceRoot !== order.workspaceRoot) continue;
    const message = `the task was given for ${order.workspaceRoot} in ${earlier.folder}, of which this is a copy, or it was moved`;
    return { ...refuse('invalid_argument', message), hint: 'give it to a new task in this folder: baton run' };
  }
  return null;
}

function refuseOther(root: string, dataFolder: string): Refusal {
  const message = `the task was done in ${root}, and ${dataFolder} no longer belongs to that repository`;
  const hint = `run it in ${root}, or with the data folder that is there: --data FOLDER`;
  return { ...refuse('invalid_argument', message), hint };
}

/** A workspace that is gone can be seen, but not changed. */
export function refuseGone(root: string): Refusal {
  const message = `${root}, where the task was done, is gone`;
  return {
    ...refuse('file-not-found', message),
    hint: `bring ${root} back; baton diff still shows the work`,
  };
}

export function refuseWithoutGit({ workspaceRoot }: Pick<Order, 'workspaceRoot'>): Refusal {
  const refusal = refuse('invalid_argument', `${workspaceRoot} is not in git, so nothing of it was recorded`);
  return { ...refusal, hint: 'git init there, and a commit: the next run can then be seen and undone' };
}

/** A task without a live run was interrupted: its node died. */
function unrecordedText({ id, status }: Task): string {
  if (status === 'in-progress') return `${id} is still being worked on`;
  return `${id} was interrupted before it left any work that Baton recorded`;
}

const HINTS: Readonly<Partial<Record<Task['status'], (id: string) => string>>> = {
  'in-progress': (id) => `baton logs ${id} -f follows it, baton stop ${id} ends it`,
  ready: (id) => `baton run ${id} resumes it; baton task cancel ${id} cancels it`,
};

/** Refuses a verb for the work of a task that has left none yet. */
export function refuseNoWork({ id, status }: Task, message: string): Refusal {
  const hint = HINTS[status]?.(id) ?? `baton run ${id} starts it`;
  return { ...refuse('not_running', message), hint };
}

/** The same where its agent has begun. */
export function refuseUnrecorded(task: Task): Refusal {
  return refuseNoWork(task, unrecordedText(task));
}
