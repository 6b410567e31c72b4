import { existsSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { CleanDecision } from '../../domain/decisions/decide-clean.ts';
import { crashPoint } from '../../platform/crash-point.ts';
import { forgetPrivateRepository } from '../../workspace/shadow/private-repository.ts';
import { removeWorktree } from '../../workspace/worktree/remove-worktree.ts';
import { WORKTREES } from '../workplace/prepare-worktree.ts';

/** Folders of the data folder with the work of tasks. */
interface SavedFolders {
  readonly worktrees: readonly string[];
  /** Snapshots of outputs, and files that an undo moved away. */
  readonly others: readonly string[];
}

/** The folders of tasks that are to be removed, by the decision on each task. */
export function savedFolders(dataFolder: string, kindOf: (task: string) => CleanDecision['kind']): SavedFolders {
  const parent = join(dataFolder, WORKTREES);
  const worktrees = entriesOf(parent).filter((name) => kindOf(taskOf(name)) !== 'keep');
  const others = ['snapshots', 'undone'].flatMap((name) =>
    entriesOf(join(dataFolder, name))
      .filter((task) => kindOf(task) === 'remove')
      .map((task) => join(dataFolder, name, task)),
  );
  return { worktrees: worktrees.map((name) => join(parent, name)), others };
}

export function removeFolders(dataFolder: string, { worktrees, others }: SavedFolders): void {
  for (const folder of worktrees) {
    removeWorktree(folder);
    forgetPrivateRepository({ keptFolder: join(dataFolder, 'shadows'), root: folder });
    crashPoint('workspace.clean-worktree');
  }
  for (const folder of others) rmSync(folder, { recursive: true, force: true });
}

/** The tasks that have a worktree. */
export function tasksOfWorktrees(dataFolder: string): readonly string[] {
  return entriesOf(join(dataFolder, WORKTREES)).map(taskOf);
}

function entriesOf(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** The task of a worktree's folder, which ends with the number of its round. */
function taskOf(worktree: string): string {
  return basename(worktree).replace(/-\d+(\.new|\.gone)?$/, '');
}

export function bytesIn(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + (isOpenFolder(path) ? bytesIn(path) : 0);
    return sum + (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

/** An agent may have closed a folder: it is removed, but not counted. */
function isOpenFolder(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o500) === 0o500;
}
