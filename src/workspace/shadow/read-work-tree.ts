import { accessSync, constants, existsSync, lstatSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inFolderOf } from '../files/held-folder.ts';
import type { Repository } from '../find-repository.ts';
import { git, gitLine, splitAtNul } from '../git.ts';
import { freshEntries } from './fresh-entries.ts';
import type { PrivateRepository } from './private-repository.ts';

export interface WorkTree {
  readonly tree: string;
  /** Files that are in no commit: whatever git does to line ends, it sees these. */
  readonly hasAdded: boolean;
  /** Files that could not be read and are therefore recorded as they were before. */
  readonly unreadable: readonly string[];
}

/** A commit to start from, and its tree. */
export interface Basis {
  readonly commit: string;
  readonly tree: string;
}

const NUL = Buffer.from([0]);
const SLASH = 47;

/**
 * The tree of all files that are in the work tree now, ignored ones aside. What counts as ignored is judged from
 * `basis`: a file that is in it stays in, also when it is ignored meanwhile. So the answer follows from the basis and the
 * files alone, whatever was recorded in between.
 */
export async function readWorkTree(
  own: PrivateRepository,
  repository: Repository,
  basis: Basis | null,
): Promise<WorkTree> {
  const sinceSeconds = secondOfDisk(own);
  await alignIndex(own, basis);
  const [changed, added] = await Promise.all([changedNames(own), addedNames(own)]);
  const names = await withoutSparse(repository, changed);
  const all = [...names, ...added];
  // Who dies in between leaves an index that is known to be in no order.
  if (all.length > 0) rmSync(alignedFile(own), { force: true });
  const unreadable = await updateIndex(own, all);
  const tree = await gitLine(own.place, { args: ['write-tree'] });
  await doubtFresh(own, sinceSeconds, tree.length / 2);
  writeFileSync(alignedFile(own), tree);
  return { tree, hasAdded: added.length > 0, unreadable };
}

/** By the clock that stamps files. */
function secondOfDisk(own: PrivateRepository): number {
  const file = join(own.folder, 'read-at');
  writeFileSync(file, '');
  return Math.floor(statSync(file).mtimeMs / 1000);
}

/** What may change once more within the same second is read again next time, whatever its times say. */
async function doubtFresh(own: PrivateRepository, sinceSeconds: number, objectBytes: number): Promise<void> {
  if (!existsSync(own.indexFile)) return;
  const fresh = freshEntries(readFileSync(own.indexFile), sinceSeconds, objectBytes);
  if (fresh.length === 0) return;
  const lines = fresh.flatMap(({ mode, object, name }) => [Buffer.from(`${mode} ${object}\t`), name, NUL]);
  await git(own.place, { args: ['update-index', '-z', '--index-info'], input: Buffer.concat(lines) });
}

/** Brings the kept index to the basis; what is known of files that are the same in both stays known. */
async function alignIndex(own: PrivateRepository, basis: Basis | null): Promise<void> {
  const wanted = basis?.tree ?? 'empty';
  const aligned = existsSync(own.indexFile) && existsSync(alignedFile(own)) && readFileSync(alignedFile(own), 'utf8');
  if (aligned === wanted) return;
  if (!basis) await git(own.place, { args: ['read-tree', '--empty'] });
  else if (aligned !== false) await git(own.place, { args: ['read-tree', '--reset', wanted] });
  else {
    await git(own.place, { args: ['read-tree', wanted] });
    await git(own.place, { args: ['update-index', '-q', '--refresh', '--ignore-submodules'], exitCodes: [0, 1] });
  }
}

/** Which tree the kept index held when it was last in order. */
function alignedFile(own: PrivateRepository): string {
  return join(own.folder, 'aligned');
}

/** Files of the index that are not as it knows them. The content of a submodule is its own repository's matter. */
async function changedNames(own: PrivateRepository): Promise<Buffer[]> {
  const args = ['diff-files', '-z', '--name-only', '--ignore-submodules=all', '--no-ext-diff', '--no-textconv'];
  return [...splitAtNul((await git(own.place, { args })).stdout)];
}

/** A nested repository is told as a folder: its files are not this one's. */
async function addedNames(own: PrivateRepository): Promise<Buffer[]> {
  const args = ['ls-files', '-z', '--others', '--exclude-standard'];
  return [...splitAtNul((await git(own.place, { args })).stdout)].filter((name) => name.at(-1) !== SLASH);
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
    await git(own.place, { args: ['update-index', ...flags, '-z', '--stdin'], input });
  };
  await run(['--force-remove'], parts.gone);
  await run(['--add', '--remove', '--replace'], parts.there);
  return parts.unreadable.map(String);
}

type Found = 'there' | 'gone' | 'unreadable';

/** What lies behind a link lies elsewhere, and a pipe or a device has no bytes to record: both are no file here. */
function findFile(root: string, name: Buffer): Found {
  const found = inFolderOf(root, name, {
    isMade: false,
    do: (folder, last): Found => {
      const stats = lstatSync(folder.at(last), { throwIfNoEntry: false });
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
