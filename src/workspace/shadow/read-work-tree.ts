import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readFileSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../find-repository.ts';
import { git, gitLine, splitAtNul } from '../git.ts';
import { freshEntries } from './fresh-entries.ts';
import type { PrivateRepository } from './private-repository.ts';

export interface WorkTree {
  readonly tree: string;
  /** Files that could not be read and are therefore recorded as they were before. */
  readonly unreadable: readonly string[];
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
  basis: string | null,
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
  return { tree, unreadable };
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
async function alignIndex(own: PrivateRepository, basis: string | null): Promise<void> {
  const wanted = basis ? await gitLine(own.place, { args: ['rev-parse', '--verify', `${basis}^{tree}`] }) : 'empty';
  const aligned = existsSync(own.indexFile) && existsSync(alignedFile(own)) && readFileSync(alignedFile(own), 'utf8');
  if (aligned === wanted) return;
  const args = basis ? ['read-tree', ...(aligned === false ? [] : ['-m']), wanted] : ['read-tree', '--empty'];
  await git(own.place, { args });
  await git(own.place, { args: ['update-index', '-q', '--refresh', '--ignore-submodules'], exitCodes: [0, 1] });
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
  const isThere = (name: Buffer) => lookAt(repository.root, name) !== undefined;
  return names.filter((name) => !skipped.has(name.toString('latin1')) || isThere(name));
}

/** Answers with what it could not read. */
async function updateIndex(own: PrivateRepository, names: readonly Buffer[]): Promise<string[]> {
  const unreadable: string[] = [];
  const updated: Buffer[] = [];
  const removed: Buffer[] = [];
  for (const name of names) {
    const stats = lookAt(own.place.workTree, name);
    // A pipe or a device in the place of a file has no bytes to record.
    if (stats && !stats.isFile() && !stats.isSymbolicLink() && !stats.isDirectory()) removed.push(name, NUL);
    else if (stats?.isFile() && !isReadable(own.place.workTree, name)) unreadable.push(name.toString('utf8'));
    else updated.push(name, NUL);
  }
  const run = async (flags: readonly string[], parts: readonly Buffer[]) => {
    if (parts.length === 0) return;
    await git(own.place, { args: ['update-index', ...flags, '-z', '--stdin'], input: Buffer.concat(parts) });
  };
  await run(['--force-remove'], removed);
  await run(['--add', '--remove', '--replace'], updated);
  return unreadable;
}

function lookAt(root: string, name: Buffer): Stats | undefined {
  try {
    return lstatSync(pathBytes(root, name), { throwIfNoEntry: false });
  } catch (error) {
    // What was a folder on the way is a file now.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function isReadable(root: string, name: Buffer): boolean {
  try {
    accessSync(pathBytes(root, name), constants.R_OK);
    return true;
  } catch {
    // Why does not matter: it is told as not readable.
    return false;
  }
}

/** Names are bytes: not every one is text. */
function pathBytes(root: string, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(root), Buffer.from('/'), name]);
}
