import { realpathSync, renameSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Execution } from '../domain/execution/execution.ts';
import { gitSearchOf } from '../domain/execution/recorded-changes.ts';
import { isWithin, wholePath } from '../domain/work/path-text.ts';
import { isThere } from '../platform/files/durable-files.ts';
import { makeFoldersIn } from '../platform/files/make-folders.ts';
import { realFolder } from './place/work-folder.ts';

/** An unfinished operation of git is a folder; a part of it alone would be a broken one. */
const OPERATIONS = /^(rebase-merge|rebase-apply|sequencer)$/;

/** The folder for what the undo of a round moves away. */
export function asideFolderFor(dataFolder: string, task: string, round: number): string {
  return join(dataFolder, 'undone', task, `${round}`);
}

export interface SetAside {
  /** The executions to undo, newest first. */
  readonly executions: readonly Execution[];
  /** Receives what is moved: a folder of the data folder. */
  readonly folder: string;
  readonly dataFolder: string;
}

/**
 * Moves everything away that came with the work and that git would execute, such as a nested repository. It is moved and not
 * removed: the user may have worked in it since. Returns the paths.
 */
export function setAsideExecuted(order: SetAside): readonly string[] {
  const came = order.executions.flatMap(cameWith);
  const outermost = came.filter((path) => !came.some((other) => other !== path && isWithin(other, path)));
  return [...new Set(outermost)].filter((path) => moveInto(order, path));
}

/** Things that an earlier undo moved away, with their present places. */
export function setAsideBefore({
  executions,
  folder,
}: SetAside): readonly { readonly path: string; readonly place: string }[] {
  const places = [...new Set(executions.flatMap(cameWith))].map((path) => ({ path, place: placeOf(folder, path) }));
  return places.filter(({ path, place }) => isThere(place) && !isThere(path));
}

function placeOf(folder: string, path: string): string {
  return join(folder, relative('/', path));
}

function cameWith(execution: Execution): readonly string[] {
  const { order, snapshotted } = execution;
  const workspace = realFolder(order);
  const known = snapshotted?.gitInventory?.marks ?? {};
  const top = snapshotted?.repository?.root ?? workspace;
  return gitSearchOf(execution)
    .executedByGit.map(({ path }) => wholePath(workspace, path))
    .filter((path) => known[path] === undefined && isWithin(top, path))
    .map((path) => (OPERATIONS.test(basename(dirname(path))) ? dirname(path) : path));
}

function moveInto({ folder, dataFolder }: SetAside, path: string): boolean {
  // A link on the way would lead out of the workspace.
  if (!isThere(path) || realpathSync(dirname(path)) !== dirname(path)) return false;
  const place = placeOf(folder, path);
  if (isThere(place)) return false;
  makeFoldersIn(dataFolder, dirname(place));
  try {
    renameSync(path, place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    // Another disk: under this name git does not find it.
    renameSync(path, `${path}.undone`);
  }
  return true;
}
