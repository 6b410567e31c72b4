import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { WORKSPACE_FILE_BYTES_MAX } from '../../domain/limits.ts';
import type { Repository } from '../../domain/repository.ts';
import type { FileModes } from '../files/file-modes.ts';
import { inFolderOf } from '../files/held-folder.ts';
import { git, gitLine, splitAtNul } from '../git.ts';
import { differingNames } from './differing-names.ts';
import { freshEntries, withoutTimes } from './fresh-entries.ts';
import type { Basis } from './object-store.ts';
import { objectsOf, type PrivateRepository } from './private-repository.ts';
import { readModes } from './read-modes.ts';

export interface WorkTree {
  readonly tree: string;
  /** Files that are in no commit: whatever git does to line ends, it sees these. */
  readonly hasAdded: boolean;
  /** Files that could not be read and are therefore recorded as they were before. */
  readonly unreadable: readonly string[];
  readonly modes: FileModes;
}

export interface ReadFrom {
  readonly basis: Basis | null;
  /** The repository may have lost what it was shown: all that it does not have is made once more. */
  readonly isForgotten: boolean;
}

const NUL = Buffer.from([0]);

/**
 * The tree of all files that are in the work tree now, ignored ones aside. What counts as ignored is judged from
 * `basis`: a file that is in it stays in, also when it is ignored meanwhile. So the answer follows from the basis and the
 * files alone, whatever was recorded in between.
 */
export async function readWorkTree(own: PrivateRepository, repository: Repository, from: ReadFrom): Promise<WorkTree> {
  try {
    return await readOnce(own, repository, from);
  } catch {
    // An index whose objects are gone, as after an eager prune, is worth nothing: it is read anew. If it was not the
    // index, the second try tells.
    await git(own.place, { args: ['read-tree', '--empty'] });
    return await readOnce(own, repository, from);
  }
}

async function readOnce(
  own: PrivateRepository,
  repository: Repository,
  { basis, isForgotten }: ReadFrom,
): Promise<WorkTree> {
  const sinceSeconds = secondOfDisk(own);
  if (isForgotten) rmSync(alignedFile(own), { force: true });
  await alignIndex(own, basis);
  const { changed, added } = await differingNames(own, basis);
  const names = await withoutSparse(repository, changed);
  const all = [...names, ...added];
  // Who dies in between leaves an index that is known to be in no order.
  if (all.length > 0) rmSync(alignedFile(own), { force: true });
  const unreadable = await updateIndex(own, all);
  if (isForgotten) await writeTreeFor(repository, own);
  // Nothing to be added to a tree that is there.
  const tree = basis && all.length === 0 ? basis.tree : await gitLine(own.place, { args: ['write-tree'] });
  const modes = readModes(own, { nowSeconds: sinceSeconds, objectBytes: tree.length / 2 });
  doubtFresh(own, sinceSeconds, tree.length / 2);
  writeFileSync(alignedFile(own), tree);
  return { tree, hasAdded: added.length > 0, unreadable, modes };
}

/** By the clock that stamps files. */
function secondOfDisk(own: PrivateRepository): number {
  const file = join(own.folder, 'read-at');
  writeFileSync(file, '');
  return Math.floor(statSync(file).mtimeMs / 1000);
}

/** What may change once more within the same second is read again next time, whatever its times say. */
function doubtFresh(own: PrivateRepository, sinceSeconds: number, objectBytes: number): void {
  if (!existsSync(own.indexFile)) return;
  const index = readFileSync(own.indexFile);
  const fresh = freshEntries(index, sinceSeconds, objectBytes);
  if (fresh.length === 0) return;
  const draft = `${own.indexFile}.doubted`;
  writeFileSync(draft, withoutTimes(index, fresh, objectBytes), { mode: 0o600 });
  renameSync(draft, own.indexFile);
}

/** Brings the kept index to the basis; what is known of files that are the same in both stays known. */
async function alignIndex(own: PrivateRepository, basis: Basis | null): Promise<void> {
  const wanted = basis?.tree ?? 'empty';
  const aligned = existsSync(own.indexFile) && existsSync(alignedFile(own)) && readFileSync(alignedFile(own), 'utf8');
  if (aligned === wanted) return;
  if (!basis) await git(own.place, { args: ['read-tree', '--empty'] });
  else if (aligned !== false) await git(own.place, { args: ['read-tree', '--reset', wanted] });
  else await git(own.place, { args: ['read-tree', wanted] });
}

/** Which tree the kept index held when it was last in order. */
function alignedFile(own: PrivateRepository): string {
  return join(own.folder, 'aligned');
}

/** Makes the trees that the repository does not have, whatever Baton's own store has. */
async function writeTreeFor(repository: Repository, own: PrivateRepository): Promise<void> {
  const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objectsOf(repository)) };
  // One that is broken has nothing to build on.
  await git(own.place, { args: ['write-tree'], env, exitCodes: [0, 128] });
}

/** A sparse checkout leaves files out that are not gone. */
async function withoutSparse(repository: Repository, names: Buffer[]): Promise<Buffer[]> {
  if (names.length === 0 || !existsSync(join(repository.gitDir, 'info', 'sparse-checkout'))) return names;
  const place = { gitDir: repository.gitDir, workTree: repository.root };
  const said = await git(place, { args: ['ls-files', '-z', '-t'] });
  const skipped = new Set<string>();
  for (const line of splitAtNul(said.stdout)) {
    if (line.subarray(0, 2).equals(Buffer.from('S '))) skipped.add(line.subarray(2).toString('latin1'));
  }
  const isThere = (name: Buffer) => findFile(repository.root, name) !== 'gone';
  return names.filter((name) => !skipped.has(name.toString('latin1')) || isThere(name));
}

/** Answers with what it could not read. */
async function updateIndex(own: PrivateRepository, names: readonly Buffer[]): Promise<string[]> {
  const parts: Record<Found, Buffer[]> = { there: [], gone: [], unreadable: [] };
  for (const name of names) parts[findFile(own.place.workTree, name)].push(name);
  const run = async (flags: readonly string[], listed: readonly Buffer[]) => {
    if (listed.length === 0) return;
    const input = Buffer.concat(listed.flatMap((name) => [name, NUL]));
    // Whatever the store has already, the repository may not have any more.
    const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: undefined };
    await git(own.place, { args: ['update-index', ...flags, '-z', '--stdin'], input, env });
  };
  await run(['--force-remove'], parts.gone);
  await run(['--add', '--remove', '--replace'], parts.there);
  return parts.unreadable.map(String);
}

type Found = 'there' | 'gone' | 'unreadable';

/**
 * What lies behind a link lies elsewhere, a pipe or a device has no bytes to record, and what is too large would be read
 * for minutes and kept for good: they are no files here.
 */
function findFile(root: string, name: Buffer): Found {
  const found = inFolderOf(root, name, {
    isMade: false,
    do: (folder, last): Found => {
      const stats = lstatSync(folder.at(last), { throwIfNoEntry: false });
      if (stats && stats.size > WORKSPACE_FILE_BYTES_MAX) return 'gone';
      if (stats?.isFile()) return isReadable(folder.at(last)) ? 'there' : 'unreadable';
      return stats?.isSymbolicLink() || stats?.isDirectory() ? 'there' : 'gone';
    },
  });
  return found ?? 'gone';
}

function isReadable(path: Buffer): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    // Why does not matter: it is told as not readable.
    return false;
  }
}
