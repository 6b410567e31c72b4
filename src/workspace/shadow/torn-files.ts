import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RULES_FOLDER } from '../executed-by-git/ignore-rules.ts';
import { readFileModes } from '../files/file-modes.ts';
import { isWholeFolder } from './private-repository.ts';

export interface TornFile {
  readonly path: string;
  /** Baton makes it again by itself; otherwise something that it recorded is lost. */
  readonly isMadeAgain: boolean;
}

const OBJECT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
const SHA1_BYTES = 20;
const SHA256_BYTES = 32;

/**
 * Finds files beside the shadow commits that were cut short or overwritten: first those of the git folders, then those of the
 * stores. Changes nothing and starts no process.
 */
export function findTornFiles(keptFolder: string): readonly TornFile[] {
  if (!existsSync(keptFolder)) return [];
  const entries = readdirSync(keptFolder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = entries.map(({ name }) => name).filter((name) => !name.endsWith('.new') && name !== RULES_FOLDER);
  const [stores, folders] = [
    names.filter((name) => name.endsWith('.store')),
    names.filter((name) => !name.endsWith('.store')),
  ];
  return [
    ...folders.flatMap((name) => tornInFolder(join(keptFolder, name))),
    ...stores.flatMap((name) => tornInStore(join(keptFolder, name))),
  ];
}

/** Objects that are looked at: the rest of a large store is left out, so that doctor stays quick. */
const OBJECTS_MAX = 50_000;

/** Finds saved objects that were cut to nothing, as a power cut leaves them. Git notices any other damage when it reads them. */
export function findEmptyObjects(keptFolder: string): readonly string[] {
  const stores = existsSync(keptFolder) ? filesIn(keptFolder).filter((path) => path.endsWith('.store')) : [];
  const folders = stores.flatMap((store) => filesIn(join(store, 'objects')));
  const objects = folders.filter((path) => /\/[0-9a-f]{2}$/.test(path)).flatMap(filesIn);
  return objects.slice(0, OBJECTS_MAX).filter((path) => statSync(path, { throwIfNoEntry: false })?.size === 0);
}

function tornInStore(store: string): TornFile[] {
  const named = filesIn(join(store, 'names')).filter(
    (path) => !(path.endsWith('.modes') ? readFileModes(textOf(path)) !== null : OBJECT.test(textOf(path))),
  );
  const noted = filesIn(join(store, 'commits')).filter((path) => !OBJECT.test(textOf(path)));
  const single = [...(isTorn(join(store, 'last'), (text) => OBJECT.test(text)) ? [join(store, 'last')] : [])];
  return [
    ...named.map((path) => ({ path, isMadeAgain: false })),
    ...[...noted, ...single].map((path) => ({ path, isMadeAgain: true })),
  ];
}

function tornInFolder(folder: string): TornFile[] {
  const torn = [
    ...(isWholeFolder(folder) ? [] : [join(folder, 'config')]),
    ...(isTorn(join(folder, 'modes.json'), (text) => readFileModes(text) !== null) ? [join(folder, 'modes.json')] : []),
    ...(isTorn(join(folder, 'index-state.json'), isJson) ? [join(folder, 'index-state.json')] : []),
    ...(existsSync(join(folder, 'index')) && !isIndex(readFileSync(join(folder, 'index')))
      ? [join(folder, 'index')]
      : []),
  ];
  return torn.map((path) => ({ path, isMadeAgain: true }));
}

function isTorn(path: string, isWhole: (text: string) => boolean): boolean {
  return existsSync(path) && !isWhole(textOf(path));
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== null;
  } catch {
    // Cut short.
    return false;
  }
}

/** An index ends with the hash of all bytes before it. */
function isIndex(index: Buffer): boolean {
  const endsWithHash = (algorithm: string, bytes: number) =>
    createHash(algorithm).update(index.subarray(0, -bytes)).digest().equals(index.subarray(-bytes));
  if (index.length <= SHA256_BYTES || index.toString('latin1', 0, 4) !== 'DIRC') return false;
  return endsWithHash('sha1', SHA1_BYTES) || endsWithHash('sha256', SHA256_BYTES);
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function textOf(path: string): string {
  return readFileSync(path, 'utf8');
}
