import { chmodSync, linkSync, lstatSync, readdirSync, renameSync, rmdirSync, type Stats, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inFolderOf, partsOf } from '../../platform/files/held-folder.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import type { FileChange } from '../diff-shadows.ts';
import { WorkspaceFault } from '../workspace-fault.ts';
import { type FileModes, modeIn } from './file-modes.ts';
import type { Staging } from './staging.ts';

const SUBMODULE = '160000';
const EXECUTABLE = 0o111;

/** Submodules are repositories of their own, and stay as they are. */
export function isFileChange(change: FileChange): boolean {
  return change.before?.mode !== SUBMODULE && change.after?.mode !== SUBMODULE;
}

/** Files that stand where a change would make a new one: they are in no shadow, so nothing could bring them back. */
export function occupiedPaths(root: string, changes: readonly FileChange[]): string[] {
  return changes
    .filter(({ name, before, after }) => !before && after && isOccupied(root, name, changes))
    .map(({ path }) => path);
}

function isOccupied(root: string, name: Buffer, changes: readonly FileChange[]): boolean {
  const stats = inFolderOf(root, name, { isMade: false, do: (folder, last) => lookAt(folder.at(last)) });
  if (!stats) return false;
  if (!stats.isDirectory()) return true;
  // A folder goes with the last of its files; whether others lie in it is seen when it is removed.
  const inside = Buffer.concat([name, Buffer.from('/')]);
  return !changes.some((other) => !other.after && other.name.subarray(0, inside.length).equals(inside));
}

/**
 * Brings the files of a root from `before` to `after` of each change. All new files lie ready in the staging folder;
 * each is moved in one step, and if one cannot be, those before it are put back and it is thrown.
 */
export function putFiles(root: string, changes: readonly FileChange[], staging: ReadyFiles): void {
  const undone: (() => void)[] = [];
  const files = changes.filter(isFileChange);
  // What goes first: a folder cannot stand where a file is, and the other way round.
  const ordered = [...files.filter(({ after }) => !after), ...files.filter(({ after }) => after)];
  try {
    for (const [number, change] of ordered.entries()) {
      const kept = Buffer.from(join(staging.replaced, String(number)));
      undone.push(change.after ? putFile(root, change, { staging, kept }) : takeFile(root, change, { staging, kept }));
      crashPoint('workspace.file-moved');
    }
  } catch (error) {
    for (const undo of undone.reverse()) undo();
    const message = `the files could not be put in place, and are as they were: ${(error as Error).message}`;
    throw new WorkspaceFault('put files', message, { retryable: true, cause: error });
  }
}

type Undo = () => void;

function takeFile(root: string, { name }: FileChange, { staging, kept }: Ready): Undo {
  const isTaken = inFolderOf(root, name, {
    isMade: false,
    do: (folder, last) => {
      if (!lookAt(folder.at(last))) return false;
      renameSync(folder.at(last), kept);
      return true;
    },
  });
  if (!isTaken) return () => undefined;
  removeEmptyFolders(root, name, staging.foldersSinceMs ?? 0);
  return () => inFolderOf(root, name, { isMade: true, do: (folder, last) => renameSync(kept, folder.at(last)) });
}

/** With `modes`, that is what they get; else they are like the files that they replace. */
export interface ReadyFiles extends Staging {
  readonly modes?: FileModes;
  /** Empty folders that are older stay; in milliseconds since 1970. */
  readonly foldersSinceMs?: number;
}

interface Ready {
  readonly staging: ReadyFiles;
  readonly kept: Buffer;
}

function putFile(root: string, { name, path, after }: FileChange, { staging, kept }: Ready): Undo {
  const ready = Buffer.concat([Buffer.from(`${staging.files}/`), name]);
  const undo = inFolderOf(root, name, {
    isMade: true,
    do: (folder, last): Undo => {
      const target = folder.at(last);
      const old = lookAt(target);
      if (old?.isDirectory()) rmdirSync(target);
      else if (old) keepOld(target, kept);
      const isExecutable = after?.mode === '100755';
      if (after?.mode !== '120000') {
        if (staging.modes) chmodSync(ready, modeIn(staging.modes, name, isExecutable));
        else if (old?.isFile()) chmodSync(ready, modeLike(old, isExecutable));
      }
      renameSync(ready, target);
      const isKept = old && !old.isDirectory();
      return () =>
        void inFolderOf(root, name, {
          isMade: true,
          do: (again, final) => (isKept ? renameSync(kept, again.at(final)) : unlinkSync(again.at(final))),
        });
    },
  });
  if (!undo) throw new Error(`${path} lies behind a link or a file`);
  return undo;
}

/** By a second name, so that there is no moment without the file; where the disk has no second names, moved. */
function keepOld(target: Buffer, kept: Buffer): void {
  try {
    linkSync(target, kept);
  } catch {
    // A file of another user, or a disk without links.
    renameSync(target, kept);
  }
}

/** Git knows of one right only, to execute; who may read a file is left as it is. */
function modeLike(old: Stats, isExecutable: boolean): number {
  const rights = old.mode & 0o7777;
  if (!isExecutable) return rights & ~EXECUTABLE;
  return (rights & EXECUTABLE) === 0 ? rights | ((rights & 0o444) >> 2) : rights;
}

/** A folder that held nothing else goes with its last file, as it does in git, unless it is older than the work. */
export function removeEmptyFolders(root: string, name: Buffer, sinceMs = 0): void {
  const parts = partsOf(name).slice(0, -1);
  while (parts.length > 0) {
    const folderName = Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [Buffer.from('/'), part])));
    const isRemoved = inFolderOf(root, folderName, {
      isMade: false,
      do: (folder, last) => removeIfEmpty(folder.at(last), sinceMs),
    });
    if (!isRemoved) return;
    parts.pop();
  }
}

function removeIfEmpty(folder: Buffer, sinceMs: number): boolean {
  // A disk that does not record the birth of a folder reports its last change, which is recent.
  if ((lookAt(folder)?.birthtimeMs ?? sinceMs) < sinceMs) return false;
  try {
    // A folder without any file is in no shadow: it goes with the folder that the work created around it.
    if (sinceMs > 0) for (const inner of foldersIn(folder)) removeIfEmpty(inner, sinceMs);
    rmdirSync(folder);
    return true;
  } catch {
    // Something else is in it.
    return false;
  }
}

function foldersIn(folder: Buffer): readonly Buffer[] {
  const entries = readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => Buffer.concat([folder, Buffer.from('/'), name]));
}

function lookAt(path: Buffer): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
