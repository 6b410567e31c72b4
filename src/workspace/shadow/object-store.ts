import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Repository } from '../../domain/work/repository.ts';
import { replaceFile } from '../../platform/files/durable-files.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import { type FileModes, readFileModes } from '../files/file-modes.ts';

/** Objects and refs of all shadows of one repository, below the data folder, where no agent can write. */
export interface ObjectStore {
  readonly folder: string;
  readonly objects: string;
}

/** A commit, and the tree of its files. */
export interface Basis {
  readonly commit: string;
  readonly tree: string;
}

export interface NamedCommit {
  readonly ref: string;
  readonly commit: string;
  readonly modes?: FileModes;
}

const MODES = '.modes';
const OBJECT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
/** No sync is needed for a file that is checked when it is read and can be made again. */
const REMADE = { isSynced: false };

/** The name of the folder with the store of a repository. */
export function storeName(commonDir: string): string {
  return `${createHash('sha256').update(commonDir).digest('hex').slice(0, 24)}.store`;
}

/** The store of the repository that has, or had, this folder; `theirs` are the objects of that repository today. */
export function openStore(
  keptFolder: string,
  { commonDir }: Pick<Repository, 'commonDir'>,
  theirs: string,
): ObjectStore {
  const folder = join(keptFolder, storeName(commonDir));
  const objects = join(folder, 'objects');
  if (!existsSync(objects)) {
    for (const part of ['commits', 'names', 'objects/pack', 'objects/info']) {
      makeFoldersIn(dirname(keptFolder), join(folder, part));
    }
  }
  const store = { folder, objects };
  if (existsSync(alternatesOf(store)) && textOf(alternatesOf(store)) !== alternatesText(theirs))
    borrowFrom(store, theirs);
  return store;
}

/** The tree of a commit whose files are all in the store; `torn` where its note cannot be read, null for any other. */
export function storedTree({ folder }: ObjectStore, commit: string): string | 'torn' | null {
  const tree = textOf(join(folder, 'commits', commit));
  if (tree === null) return null;
  return isObject(tree) && tree.length === commit.length ? tree : 'torn';
}

export function noteCommit(store: ObjectStore, { commit, tree }: Basis): void {
  if (storedTree(store, commit) === tree) return;
  replaceFile(join(store.folder, 'commits', commit), tree, REMADE);
}

export function notedCommits({ folder }: ObjectStore): readonly string[] {
  return readdirSync(join(folder, 'commits')).filter(isObject);
}

export function forgetCommit({ folder }: ObjectStore, commit: string): void {
  rmSync(join(folder, 'commits', commit), { force: true });
}

/** The commit that the last import copied; null where it is unknown, and everything is copied again. */
export function lastImported(store: ObjectStore): string | null {
  const commit = textOf(join(store.folder, 'last'));
  return commit !== null && isObject(commit) && storedTree(store, commit) !== null ? commit : null;
}

export function noteImported({ folder }: ObjectStore, commit: string): void {
  replaceFile(join(folder, 'last'), commit, REMADE);
}

/** The commit that was recorded under a name such as refs/baton/TASK/1/before; null where there is none. */
export function namedCommit(store: ObjectStore, ref: string): string | 'torn' | null {
  const commit = textOf(nameFile(store, ref));
  return commit === null || isObject(commit) ? commit : 'torn';
}

export function nameCommit(store: ObjectStore, { ref, commit, modes }: NamedCommit): void {
  const file = nameFile(store, ref);
  if (modes) replaceFile(`${file}${MODES}`, JSON.stringify(modes));
  replaceFile(file, commit);
}

export function forgetName(store: ObjectStore, ref: string): void {
  for (const file of [nameFile(store, ref), `${nameFile(store, ref)}${MODES}`]) rmSync(file, { force: true });
}

export interface StoredName {
  readonly ref: string;
  readonly commit: string | 'torn';
}

/** All names with their commits. */
export function storedNames(store: ObjectStore): readonly StoredName[] {
  const files = readdirSync(join(store.folder, 'names')).filter(
    (name) => !name.startsWith('.') && !name.endsWith(MODES),
  );
  return files
    .map((name) => name.replaceAll('+', '/'))
    .map((ref) => ({ ref, commit: namedCommit(store, ref) ?? 'torn' }));
}

/** The file modes recorded under a name; null where they are unknown. */
export function namedModes(store: ObjectStore, ref: string): FileModes | null {
  return readFileModes(textOf(`${nameFile(store, ref)}${MODES}`));
}

/** Earlier versions noted in this file which ref they had written into the user's repository last. */
const SHOWN = 'shown';

export function wasShown({ folder }: ObjectStore): boolean {
  return existsSync(join(folder, SHOWN));
}

export function forgetShown({ folder }: ObjectStore): void {
  rmSync(join(folder, SHOWN), { force: true });
}

/** From now on git also searches the repository for objects that the store does not have. */
export function borrowFrom(store: ObjectStore, theirs: string): void {
  replaceFile(alternatesOf(store), alternatesText(theirs));
}

/** Whether the store is incomplete without the objects of the repository. */
export function isBorrowing(store: ObjectStore): boolean {
  return existsSync(alternatesOf(store));
}

function alternatesOf({ objects }: ObjectStore): string {
  return join(objects, 'info', 'alternates');
}

function alternatesText(theirs: string): string {
  return `${JSON.stringify(theirs)}\n`;
}

/** Creates the folder for the objects of one shadow; remains of a crash are removed. */
export function emptyStagingArea({ folder }: ObjectStore, name: string): string {
  const staging = join(folder, `intake-${name}`);
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { mode: 0o700 });
  return staging;
}

function nameFile({ folder }: ObjectStore, ref: string): string {
  return join(folder, 'names', ref.replaceAll('/', '+'));
}

function isObject(text: string): boolean {
  return OBJECT.test(text);
}

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
