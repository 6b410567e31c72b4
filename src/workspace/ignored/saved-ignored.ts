import { createHash } from 'node:crypto';
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { IGNORED_BYTES_MAX, MIB } from '../../domain/limits.ts';
import {
  compareIgnored,
  folderChanges,
  type IgnoredChange,
  type IgnoredState,
} from '../../domain/work/ignored-files.ts';
import { renewFile, replaceFile } from '../../platform/files/durable-files.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import { readPlainBytes, readPlainFile } from '../files/read-plain-file.ts';
import type { UnrecordedFiles } from '../shadow/find-unrecorded.ts';
import { findNestedChanges, saveNested } from './nested-repositories.ts';
import { findWritten, hashOfBytes, readIgnored } from './read-ignored.ts';

const FOLDER = ['saved', 'ignored'];
const STATE_BYTES_MAX = 64 * MIB;
/** A sync for each of many new files would take seconds; their hash tells whether they are whole. */
const SYNCED_MAX = 32;
/** The clock that stamps files runs a few milliseconds behind. */
const CLOCK_GRAIN_MS = 20;

/** A workspace whose ignored files, and files of nested repositories, are saved below the data folder, with modes 0700 and 0600: they may be secrets. */
export interface SavedPlace {
  readonly root: string;
  readonly dataFolder: string;
  readonly names: readonly string[];
  readonly unrecorded: UnrecordedFiles;
  readonly atMs: number;
}

/** Saves small ignored files before the work, and the state of all; returns its name. Unchanged files are saved already. */
export async function saveIgnored(place: SavedPlace): Promise<string> {
  makeFoldersIn(place.dataFolder, join(place.dataFolder, ...FOLDER));
  const known = lastState(place);
  const fresh = new Map<string, Buffer>();
  let bytesLeft = IGNORED_BYTES_MAX;
  const { repositories, emptyFolders } = place.unrecorded;
  const reading = { ...place, names: [...place.names, ...repositories], repositories, known };
  const read = await readIgnored(reading, (hash, bytes) => {
    bytesLeft -= bytes.length;
    if (bytesLeft >= 0) fresh.set(hash, bytes);
  });
  const isSynced = fresh.size <= SYNCED_MAX;
  for (const [hash, bytes] of fresh) save(place.dataFolder, hash, { bytes, isSynced });
  const nested = await saveNested(place, repositories);
  const state = { ...read, repositories: nested, folders: modesOf(place.root, emptyFolders) };
  const name = saveState(place, withSaved(place.dataFolder, state));
  replaceFile(lastFile(place), name, { isSynced: false });
  return name;
}

/** A file beyond the bounds is compared, and not saved. */
function withSaved(dataFolder: string, state: IgnoredState): IgnoredState {
  const files = Object.entries(state.files).map(([path, file]) => {
    const isSaved = file.hash !== null && sizeOf(dataFolder, file.hash) === file.size;
    if (file.hash !== null && isSaved) renewFile(join(dataFolder, ...FOLDER, file.hash));
    return [path, { ...file, isSaved }] as const;
  });
  return { ...state, files: Object.fromEntries(files) };
}

function saveState(place: SavedPlace, state: IgnoredState): string {
  const bytes = Buffer.from(JSON.stringify(state));
  const name = hashOfBytes(bytes);
  save(place.dataFolder, name, { bytes, isSynced: true });
  return name;
}

function save(
  dataFolder: string,
  name: string,
  { bytes, isSynced }: { readonly bytes: Buffer; readonly isSynced: boolean },
) {
  const file = join(dataFolder, ...FOLDER, name);
  if (sizeOf(dataFolder, name) === bytes.length) renewFile(file);
  else replaceFile(file, bytes, { isSynced });
}

function sizeOf(dataFolder: string, name: string): number | undefined {
  return statSync(join(dataFolder, ...FOLDER, name), { throwIfNoEntry: false })?.size;
}

/** The state that was saved last for a root: most files are still the same. */
function lastState(place: SavedPlace): IgnoredState | null {
  const name = readPlainFile(lastFile(place), STATE_BYTES_MAX);
  return name === null ? null : savedIgnored(place.dataFolder, name);
}

function lastFile({ root, dataFolder }: SavedPlace): string {
  return join(dataFolder, ...FOLDER, `last-${createHash('sha256').update(root).digest('hex').slice(0, 24)}`);
}

/** Saves the bytes of a file, or the target of a link, under their hash. */
export function saveContent(dataFolder: string, bytes: Buffer): void {
  makeFoldersIn(dataFolder, join(dataFolder, ...FOLDER));
  save(dataFolder, hashOfBytes(bytes), { bytes, isSynced: false });
}

/** Null where it is gone or torn. */
export function savedIgnored(dataFolder: string, name: string): IgnoredState | null {
  const bytes = savedContent(dataFolder, name, STATE_BYTES_MAX);
  return bytes && (JSON.parse(bytes.toString('utf8')) as IgnoredState);
}

/** The bytes of a saved file, or the target of a link. */
export function savedContent(dataFolder: string, name: string, bytesMax: number): Buffer | null {
  const bytes = readPlainBytes(join(dataFolder, ...FOLDER, name), bytesMax);
  return bytes !== null && hashOfBytes(bytes) === name ? bytes : null;
}

export interface FoundIgnored {
  readonly ignoredChanges: readonly IgnoredChange[];
  /** The state after the work; absent where nothing changed. */
  readonly ignoredState?: string;
}

/**
 * Finds what became of ignored files, nested repositories and empty folders since a state was saved. Contents are compared, and
 * not saved.
 */
export async function findIgnoredChanges(place: SavedPlace, base: string): Promise<FoundIgnored> {
  const before = savedIgnored(place.dataFolder, base);
  if (before === null) return { ignoredChanges: [] };
  const repositories = [...new Set([...Object.keys(before.repositories ?? {}), ...place.unrecorded.repositories])];
  const known = [...Object.keys(before.files), ...Object.keys(before.trees)];
  const names = [...new Set([...place.names, ...repositories, ...known])];
  const folders = names.filter((name) => name.endsWith('/'));
  const isInside = (name: string) => folders.some((folder) => folder !== name && name.startsWith(folder));
  const outermost = names.filter((name) => !isInside(name));
  const reading = { ...place, names: outermost, repositories, known: before, comparesKnown: true };
  const read = await readIgnored(reading, () => undefined);
  const written = await findWritten(place.root, before);
  const nested = await findNestedChanges(place, before, place.unrecorded.repositories);
  const after = {
    ...withSaved(place.dataFolder, read),
    repositories: nested.repositories,
    folders: modesOf(place.root, place.unrecorded.emptyFolders),
  };
  const ignoredChanges = [
    ...compareIgnored({ before, after: sinceOnly(place, before, after), written }),
    ...changesOfFolders(place.root, before, after),
    ...nested.changes,
  ];
  return ignoredChanges.length === 0 ? { ignoredChanges } : { ignoredChanges, ignoredState: saveState(place, after) };
}

function modesOf(root: string, folders: readonly string[]): Record<string, number> {
  const found = folders.map((path) => [path, folderStats(root, path)?.mode] as const);
  return Object.fromEntries(found.flatMap(([path, mode]) => (mode === undefined ? [] : [[path, mode & 0o7777]])));
}

/** A folder that only became empty is no new one. A state of an older Baton knows no folders. */
function changesOfFolders(root: string, before: IgnoredState, after: IgnoredState): readonly IgnoredChange[] {
  if (before.folders === undefined) return [];
  const isNew = (path: string) => (folderStats(root, path)?.birthtimeMs ?? 0) >= before.at - CLOCK_GRAIN_MS;
  const came = Object.keys(after.folders ?? {}).filter((path) => before.folders?.[path] === undefined && isNew(path));
  const gone = Object.keys(before.folders).filter((path) => folderStats(root, path) === null);
  return folderChanges(came, gone);
}

function folderStats(root: string, path: string) {
  const whole = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path.slice(0, -1), 'latin1')]);
  try {
    const stats = lstatSync(whole, { throwIfNoEntry: false });
    return stats?.isDirectory() ? stats : null;
  } catch {
    // A file lies where the folder above it was.
    return null;
  }
}

/** A file that new rules ignore was there before: it is not new. */
function sinceOnly({ root }: SavedPlace, before: IgnoredState, after: IgnoredState): IgnoredState {
  const isOld = (path: string) => {
    const whole = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
    const stats = lstatSync(whole, { throwIfNoEntry: false });
    return !before.files[path] && stats !== undefined && stats.ctimeMs < before.at - CLOCK_GRAIN_MS;
  };
  return { ...after, files: Object.fromEntries(Object.entries(after.files).filter(([path]) => !isOld(path))) };
}
