import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { IGNORED_FILE_BYTES_MAX } from '../../domain/limits.ts';
import { grouped } from '../../domain/words/counted.ts';
import {
  type IgnoredChange,
  type IgnoredFile,
  type IgnoredState,
  isSameIgnored,
} from '../../domain/work/ignored-files.ts';
import { inFolderOf } from '../../platform/files/held-folder.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import { removeEmptyFolders } from '../files/put-files.ts';
import { readPlainBytes } from '../files/read-plain-file.ts';
import { readFile } from './read-ignored.ts';
import { saveContent, savedContent, savedIgnored } from './saved-ignored.ts';

export interface IgnoredUndoRequest {
  readonly root: string;
  readonly dataFolder: string;
  /** Saved states from before and after the work. */
  readonly before: string;
  readonly after: string;
  /** Receives files that the undo replaces or removes. */
  readonly asideFolder: string;
  readonly atMs: number;
  /** The beginning of the work: an empty folder that is older stays. */
  readonly startedAtMs?: number;
  /** The changes that were reported. */
  readonly changes: readonly IgnoredChange[];
  /** Leaves files that a person changed since, and names them. */
  readonly leavesChanged?: boolean;
}

export interface PreparedIgnoredUndo {
  /** Changed by a person since. */
  readonly changedSince: readonly string[];
  /** Files that stay, with the reason. */
  readonly left: readonly string[];
  /** Puts the files back. */
  perform(): PutBack;
}

/** The paths of everything that was put back or removed. */
export interface PutBack {
  readonly ignored: readonly string[];
  /** Files of nested repositories, and empty folders with a slash at their end. */
  readonly unrecorded: readonly string[];
}

export const NO_IGNORED_UNDO: PreparedIgnoredUndo = {
  changedSince: [],
  left: [],
  perform: () => ({ ignored: [], unrecorded: [] }),
};

interface UndoAction {
  readonly path: string;
  /** Null removes it. */
  readonly to: IgnoredFile | null;
}

/** Prepares to put back ignored files that were saved, and to remove new ones that are unchanged since. */
export function prepareIgnoredUndo(request: IgnoredUndoRequest): PreparedIgnoredUndo {
  const [before, after] = [request.before, request.after].map((name) => savedIgnored(request.dataFolder, name));
  if (!before || !after) return { ...NO_IGNORED_UNDO, left: ['ignored files: their saved state is gone'] };
  const deeds: UndoAction[] = [];
  const changedSince: string[] = [];
  const left: string[] = [];
  for (const path of changedPaths(before, after)) {
    const [was, became, is] = [before.files[path], after.files[path], presentFile(request, path)];
    if (isSameIgnored(is, was)) continue;
    if (was && !isSavedFile(request, was)) left.push(`${textOf(path)}: it was not saved`);
    else if (isSameIgnored(is, became)) deeds.push({ path, to: was ?? null });
    else if (was && !request.leavesChanged) {
      changedSince.push(textOf(path));
      deeds.push({ path, to: was });
    } else left.push(`${textOf(path)}: it was changed since`);
  }
  return {
    changedSince,
    left: [...left, ...treesLeft(before, after, request.changes)],
    perform: () => {
      const repositories = [...Object.keys(before.repositories ?? {}), ...Object.keys(after.repositories ?? {})];
      const isNested = (path: string) => repositories.some((folder) => path.startsWith(folder));
      const done = performAll(request, deeds);
      const folders = putFolders(request, before, after);
      const ignored = done.filter((path) => !isNested(path)).map(textOf);
      return { ignored, unrecorded: [...done.filter(isNested), ...folders].map(textOf) };
    },
  };
}

/** Makes empty folders again that the work removed, and removes those that it made and that are still empty. */
function putFolders({ root, startedAtMs }: IgnoredUndoRequest, before: IgnoredState, after: IgnoredState): string[] {
  const [was = {}, is = {}] = [before.folders, after.folders];
  const gone = Object.keys(was).filter((path) => is[path] === undefined && !isFolderIn(root, path));
  const came = before.folders === undefined || startedAtMs === undefined ? [] : Object.keys(is);
  const removed = came.filter((path) => was[path] === undefined && isFolderIn(root, path));
  for (const path of removed) removeEmptyFolders(root, Buffer.from(`${path}x`, 'latin1'), startedAtMs);
  for (const path of gone) {
    const name = Buffer.from(path.slice(0, -1), 'latin1');
    inFolderOf(root, name, {
      isMade: true,
      do: (folder, last) => {
        mkdirSync(folder.at(last));
        chmodSync(folder.at(last), was[path] ?? USUAL_FOLDER_MODE);
      },
    });
  }
  const isDone = [
    ...removed.filter((path) => !isFolderIn(root, path)),
    ...gone.filter((path) => isFolderIn(root, path)),
  ];
  return isDone;
}

const USUAL_FOLDER_MODE = 0o755;

function isFolderIn(root: string, path: string): boolean {
  const name = Buffer.from(path.slice(0, -1), 'latin1');
  const look = (target: Buffer) => lstatSync(target, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return inFolderOf(root, name, { isMade: false, do: (folder, last) => look(folder.at(last)) }) ?? false;
}

/** The paths, as text, of files that differ between two saved states. */
export function ignoredBetween(dataFolder: string, one: string, other: string): ReadonlySet<string> {
  const [before, after] = [one, other].map((name) => savedIgnored(dataFolder, name));
  return new Set(before && after ? changedPaths(before, after).map(textOf) : []);
}

/** Files that differ. A file in a folder that was too large to be saved is the folder's. */
function changedPaths(before: IgnoredState, after: IgnoredState): readonly string[] {
  const trees = [...Object.keys(before.trees), ...Object.keys(after.trees)];
  const isInTree = (path: string) => trees.some((tree) => path.startsWith(tree));
  const paths = new Set([...Object.keys(before.files), ...Object.keys(after.files)]);
  return [...paths].filter(
    (path) => !isSameIgnored(before.files[path], after.files[path]) && (before.files[path] || !isInTree(path)),
  );
}

function presentFile({ root, atMs }: IgnoredUndoRequest, path: string): IgnoredFile | undefined {
  return readFile({ root, names: [], known: null, atMs }, path, () => undefined) ?? undefined;
}

function isSavedFile({ dataFolder }: IgnoredUndoRequest, { hash }: IgnoredFile): boolean {
  return hash !== null && savedContent(dataFolder, hash, IGNORED_FILE_BYTES_MAX) !== null;
}

/** Large folders that are not as before, with numbers. */
function treesLeft(before: IgnoredState, after: IgnoredState, changes: readonly IgnoredChange[]): readonly string[] {
  const gone = Object.entries(before.trees).filter(([path]) => !after.trees[path]);
  const came = Object.entries(after.trees).filter(([path]) => !before.trees[path]);
  const both = new Map(Object.entries(before.trees).map(([path, tree]) => [textOf(path), tree.files]));
  for (const [path] of gone) both.delete(textOf(path));
  return [
    ...gone.map(([path, { files }]) => `${textOf(path).slice(0, -1)}: ${grouped(files)} files removed, not saved`),
    ...came.map(
      ([path, { files }]) => `${textOf(path).slice(0, -1)}: ${grouped(files)} files are new, too many to remove`,
    ),
    ...changes
      .filter(({ path, isSaved }) => !isSaved && both.has(path))
      .map(({ path, change, files }) => {
        const words = change === 'created' ? 'new, not removed' : `${change}, not saved`;
        return `${path.slice(0, -1)}: ${grouped(files)}${change === 'created' ? '' : ` of ${grouped(both.get(path) ?? 0)}`} files ${words}`;
      }),
  ];
}

/** Removals come first: a folder may have replaced a file. */
function performAll(request: IgnoredUndoRequest, deeds: readonly UndoAction[]): readonly string[] {
  const ordered = [...deeds.filter(({ to }) => to === null), ...deeds.filter(({ to }) => to !== null)];
  return ordered.filter((deed) => performOne(request, deed)).map(({ path }) => path);
}

function performOne(request: IgnoredUndoRequest, { path, to }: UndoAction): boolean {
  const name = Buffer.from(path, 'latin1');
  const isDone = inFolderOf(request.root, name, {
    isMade: to !== null,
    do: (folder, last) => {
      const target = folder.at(last);
      // The undo of recorded files may have removed it already.
      if (to === null && !isFileOrLink(target)) return false;
      setAside(request, path, target);
      if (to === null) {
        unlinkSync(target);
        return true;
      }
      const bytes = savedContent(request.dataFolder, to.hash ?? '', IGNORED_FILE_BYTES_MAX);
      if (bytes === null || lstatSync(target, { throwIfNoEntry: false })?.isDirectory()) return false;
      const draft = folder.at(Buffer.concat([last, Buffer.from('.baton-draft')]));
      writeDraft(draft, to, bytes);
      renameSync(draft, target);
      return true;
    },
  });
  if (isDone && to === null) removeEmptyFolders(request.root, name, request.startedAtMs);
  return isDone ?? false;
}

function isFileOrLink(target: Buffer): boolean {
  const stats = lstatSync(target, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isDirectory();
}

const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

function writeDraft(draft: Buffer, { kind, mode }: IgnoredFile, bytes: Buffer): void {
  if (kind === 'link') {
    symlinkSync(bytes, draft);
    return;
  }
  const file = openSync(draft, FLAGS, 0o600);
  try {
    writeFileSync(file, bytes);
  } finally {
    closeSync(file);
  }
  chmodSync(draft, mode);
}

/** Keeps the present version in the data folder, for people and for a later apply: an undo must not lose anything. */
function setAside({ asideFolder, dataFolder }: IgnoredUndoRequest, path: string, target: Buffer): void {
  const stats = lstatSync(target, { throwIfNoEntry: false });
  const bytes = stats?.isSymbolicLink()
    ? readlinkSync(target, { encoding: 'buffer' })
    : readPlainBytes(target, IGNORED_FILE_BYTES_MAX);
  if (bytes === null) return;
  saveContent(dataFolder, bytes);
  const place = join(asideFolder, textOf(path));
  makeFoldersIn(dataFolder, dirname(place));
  writeFileSync(place, bytes, { mode: 0o600 });
}

function textOf(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}
