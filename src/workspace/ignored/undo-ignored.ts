import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type IgnoredFile, type IgnoredState, isSameIgnored } from '../../domain/ignored-files.ts';
import { IGNORED_FILE_BYTES_MAX } from '../../domain/limits.ts';
import { inFolderOf } from '../../platform/held-folder.ts';
import { makeFoldersIn } from '../../platform/make-folders.ts';
import { removeEmptyFolders } from '../files/put-files.ts';
import { readPlainBytes } from '../files/read-plain-file.ts';
import { readFile } from './read-ignored.ts';
import { savedContent, savedIgnored } from './saved-ignored.ts';

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
}

export interface PreparedIgnoredUndo {
  /** Changed by a person since. */
  readonly changedSince: readonly string[];
  /** Files that stay, with the reason. */
  readonly left: readonly string[];
  /** Puts the files back; returns their paths. */
  perform(): readonly string[];
}

export const NO_IGNORED_UNDO: PreparedIgnoredUndo = { changedSince: [], left: [], perform: () => [] };

interface Deed {
  readonly path: string;
  /** Null removes it. */
  readonly to: IgnoredFile | null;
}

/** Prepares to put back ignored files that were saved, and to remove new ones that are unchanged since. */
export function prepareIgnoredUndo(request: IgnoredUndoRequest): PreparedIgnoredUndo {
  const [before, after] = [request.before, request.after].map((name) => savedIgnored(request.dataFolder, name));
  if (!before || !after) return { ...NO_IGNORED_UNDO, left: ['ignored files: their saved state is gone'] };
  const deeds: Deed[] = [];
  const changedSince: string[] = [];
  const left: string[] = [];
  for (const path of changedPaths(before, after)) {
    const [was, became, is] = [before.files[path], after.files[path], presentFile(request, path)];
    if (isSameIgnored(is, was)) continue;
    if (was && !isSavedFile(request, was)) left.push(`${textOf(path)}: it was not saved`);
    else if (isSameIgnored(is, became)) deeds.push({ path, to: was ?? null });
    else if (was) {
      changedSince.push(textOf(path));
      deeds.push({ path, to: was });
    } else left.push(`${textOf(path)}: it was changed since`);
  }
  return { changedSince, left: [...left, ...treesLeft(before, after)], perform: () => performAll(request, deeds) };
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

function treesLeft(before: IgnoredState, after: IgnoredState): readonly string[] {
  const gone = Object.entries(before.trees).filter(([path]) => !after.trees[path]);
  const came = Object.entries(after.trees).filter(([path]) => !before.trees[path]);
  const counted = (files: number) => `${files.toLocaleString('en-US')} files`;
  return [
    ...gone.map(([path, { files }]) => `${textOf(path).slice(0, -1)}: ${counted(files)} removed, not saved`),
    ...came.map(([path, { files }]) => `${textOf(path).slice(0, -1)}: ${counted(files)} are new, too many to remove`),
  ];
}

/** Removals come first: a folder may have replaced a file. */
function performAll(request: IgnoredUndoRequest, deeds: readonly Deed[]): readonly string[] {
  const ordered = [...deeds.filter(({ to }) => to === null), ...deeds.filter(({ to }) => to !== null)];
  return ordered.filter((deed) => performOne(request, deed)).map(({ path }) => textOf(path));
}

function performOne(request: IgnoredUndoRequest, { path, to }: Deed): boolean {
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

/** Keeps the present version in the data folder: an undo must not lose anything. */
function setAside({ asideFolder, dataFolder }: IgnoredUndoRequest, path: string, target: Buffer): void {
  const stats = lstatSync(target, { throwIfNoEntry: false });
  const bytes = stats?.isSymbolicLink()
    ? readlinkSync(target, { encoding: 'buffer' })
    : readPlainBytes(target, IGNORED_FILE_BYTES_MAX);
  if (bytes === null) return;
  const place = join(asideFolder, textOf(path));
  makeFoldersIn(dataFolder, dirname(place));
  writeFileSync(place, bytes, { mode: 0o600 });
}

function textOf(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}
