import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../platform/files/durable-files.ts';
import { systemTimer } from '../../platform/timer.ts';
import type { FileModes } from '../files/file-modes.ts';
import { git, gitLine } from '../git.ts';
import { freshEntries, withoutTimes } from './index-entries.ts';
import type { PrivateRepository } from './private-repository.ts';
import { inspectFirst, type ModeSources, readModes } from './read-modes.ts';
import type { StagingArea } from './staging-area.ts';
import type { WorkFile } from './work-file.ts';

/** The tree of a repository without a commit. */
export const NO_TREE = 'empty';
const NUL = Buffer.from([0]);

/** Describes the index that Baton keeps for a root between shadows, with the file times that git learned. */
interface IndexState {
  /** The tree that the index holds. */
  readonly tree: string;
  /** HEAD's tree when the index was aligned with it. */
  readonly head: string;
  /** Identifies the bytes of the index file. */
  readonly stamp: string;
}

/**
 * Aligns the kept index with HEAD's tree, and answers with the tree that it holds. It stays ahead of HEAD where many files
 * differ from it. File times of entries that both trees share are kept.
 */
export async function alignIndex(own: PrivateRepository, head: string): Promise<string> {
  const known = hasIndexChanged(own) ? null : readState(own);
  if (known?.head === head) return known.tree;
  forgetIndexState(own);
  if (head === NO_TREE) await git(own.place, { args: ['read-tree', '--empty'] });
  else await git(own.place, { args: ['read-tree', ...(known ? ['--reset'] : []), head] });
  return head;
}

export async function emptyIndex(own: PrivateRepository): Promise<void> {
  forgetIndexState(own);
  await git(own.place, { args: ['read-tree', '--empty'] });
}

/** Called before the index changes: a crash in between then leaves an index that is known to be unusable. */
function forgetIndexState(own: PrivateRepository): void {
  rmSync(stateFile(own), { force: true });
}

export function writeIndexState(own: PrivateRepository, state: Omit<IndexState, 'stamp'>): void {
  const text = JSON.stringify({ ...state, stamp: stampOf(own) });
  if (existsSync(stateFile(own)) && readFileSync(stateFile(own), 'utf8') === text) return;
  replaceFile(stateFile(own), text, { isSynced: false });
}

/** False where the index file has the same bytes as when its state was written. */
function hasIndexChanged(own: PrivateRepository): boolean {
  return readState(own)?.stamp !== stampOf(own);
}

/** Null where there is no index yet. */
function readIndex(own: PrivateRepository): Buffer | null {
  return existsSync(own.indexFile) ? readFileSync(own.indexFile) : null;
}

function readState(own: PrivateRepository): IndexState | null {
  if (!existsSync(own.indexFile) || !existsSync(stateFile(own))) return null;
  try {
    const state = JSON.parse(readFileSync(stateFile(own), 'utf8')) as IndexState | null;
    return typeof state?.tree === 'string' && typeof state.head === 'string' ? state : null;
  } catch {
    // Cut short: the index is built again.
    return null;
  }
}

function stateFile(own: PrivateRepository): string {
  return join(own.folder, 'index-state.json');
}

function stampOf({ indexFile }: PrivateRepository): string {
  const stats = statSync(indexFile, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : 'none';
}

/**
 * Clears the times of entries whose file changed in the second `sinceSeconds` or later, so that git reads these files again
 * next time. Git compares whole seconds: a second change within that second, with size and modification time put back,
 * would go unnoticed.
 */
function distrustFreshEntries(own: PrivateRepository, index: Buffer, sinceSeconds: number): void {
  const fresh = freshEntries(index, sinceSeconds, own.objectBytes);
  if (fresh.length === 0) return;
  replaceFile(own.indexFile, withoutTimes(index, fresh, own.objectBytes), { isSynced: false });
}

interface IndexUpdate {
  readonly files: readonly WorkFile[];
  readonly ignored: readonly Buffer[];
}

/** Updates the kept index, where many files changed: they are compared with it next time. */
export async function updateIndex(into: StagingArea, { files, ignored }: IndexUpdate): Promise<string> {
  forgetIndexState(into);
  const run = async (flags: readonly string[], names: readonly Buffer[]) => {
    if (names.length === 0) return;
    const input = Buffer.concat(names.flatMap((name) => [name, NUL]));
    await git(into.place, { args: ['update-index', ...flags, '-z', '--stdin'], input });
  };
  const namesOf = (isWanted: (kind: WorkFile['kind']) => boolean) =>
    files.filter(({ kind }) => isWanted(kind)).map(({ name }) => name);
  await run(['--force-remove'], [...ignored, ...namesOf((kind) => kind === 'gone')]);
  await run(
    ['--add', '--remove', '--replace'],
    namesOf((kind) => kind !== 'gone' && kind !== 'unreadable'),
  );
  return await gitLine(into.place, { args: ['write-tree'] });
}

/** Inspects the files of an index whose modes are not known yet, once git has been started; null where they are known. */
export async function inspectIndexed(own: PrivateRepository): Promise<ModeSources['first']> {
  await systemTimer().breathe();
  return inspectFirst(own, () => readIndex(own));
}

/** Updates the known modes and clears times that cannot be trusted; both depend on the times in the index. */
export function settleIndex(
  into: StagingArea,
  { files, first, sinceSeconds }: Pick<ModeSources, 'files' | 'first'> & { readonly sinceSeconds: number },
): FileModes {
  const index = hasIndexChanged(into) ? readIndex(into) : null;
  const modes = readModes(into, { files, first, index, nowSeconds: sinceSeconds });
  if (index) distrustFreshEntries(into, index, sinceSeconds);
  return modes;
}
