import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Execution } from '../../domain/execution/execution.ts';
import type { Workplace } from '../../domain/execution/findings.ts';
import type { Order } from '../../domain/order.ts';
import { isWithin } from '../../domain/path-text.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { Repository } from '../../domain/repository.ts';
import { findRepository } from '../../workspace/find-repository.ts';
import { git } from '../../workspace/git.ts';
import { dataFolderOfRecord } from '../../workspace/shadow/private-repository.ts';
import { WORKTREES } from '../workplace/prepare-worktree.ts';

/** The workspace of a task that has run, at its present place. */
export interface RecordedWorkspace {
  readonly repository: Repository;
  readonly workplace: Workplace;
  /** The repository as it was recorded, which names its shadow commits; undefined where it is still there. */
  readonly recordedIn?: Repository;
  /** Nothing is at that path any more. */
  readonly isGone: boolean;
}

type Snapshotted = NonNullable<Execution['snapshotted']>;

/** The repository of a task as it was recorded; earlier versions recorded none, and it is searched for. */
export function recordedRepository({ workspaceRoot }: Pick<Order, 'workspaceRoot'>, { repository }: Snapshotted) {
  return repository === undefined ? findRepository(workspaceRoot) : repository;
}

/**
 * Finds the workspace of a task. A repository that was copied or moved together with its data folder is the one around that
 * folder: the recorded path may lead to the original.
 */
export async function findRecordedWorkspace(
  { workplace, head, repository: recorded }: Snapshotted & { readonly repository: Repository },
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

function refuseOther(root: string, dataFolder: string): Refusal {
  const message = `the task was done in ${root}, and ${dataFolder} no longer belongs to that repository`;
  const hint = `run it in ${root}, or with the data folder that is there: --data FOLDER`;
  return { ...refuse('invalid_argument', message), hint };
}

/** A workspace that is gone can be seen, but not changed. */
export function refuseGone(root: string): Refusal {
  const message = `${root}, where the task was done, is gone`;
  return {
    ...refuse('E_FILE_NOT_FOUND', message),
    hint: `bring ${root} back; baton diff TASK shows the work without it`,
  };
}
