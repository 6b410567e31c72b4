import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIRECT_CHANGES_BYTES_MAX, DIRECT_CHANGES_MAX } from '../../domain/limits.ts';
import type { Repository } from '../../domain/repository.ts';
import type { FileModes } from '../files/file-modes.ts';
import { git, gitLine, splitAtNul } from '../git.ts';
import { basisDifferences, differingNames, ignoredNames } from './differing-names.ts';
import type { Intake } from './intake.ts';
import {
  alignIndex,
  distrustFreshEntries,
  emptyIndex,
  forgetIndexState,
  hasIndexChanged,
  NO_TREE,
  readIndex,
  writeIndexState,
} from './kept-index.ts';
import type { Basis } from './object-store.ts';
import { objectsOf, type PrivateRepository } from './private-repository.ts';
import { readModes } from './read-modes.ts';
import { blobName, recordChanges, type TreeChange } from './record-changes.ts';
import { inspectFiles, nestedCommit, readWorkFile, type WorkFile } from './work-file.ts';

/** All files of a work tree, recorded as a commit. */
export interface RecordedFiles extends Basis {
  /** Files that are in no commit: git reports them whatever it does to line ends. */
  readonly hasAdded: boolean;
  /** Files that could not be read, and are recorded with their earlier bytes. */
  readonly unreadable: readonly string[];
  readonly modes: FileModes;
}

export interface RecordRequest {
  readonly head: Basis | null;
  readonly basis: Basis | null;
  /** The repository may have lost the objects it was shown: all that it does not have is made again. */
  readonly isForgotten: boolean;
  readonly label: string;
  readonly atMs: number;
}

const NUL = Buffer.from([0]);

/**
 * Records all files that are in the work tree now, ignored ones aside. A file of `basis` stays in although it is ignored
 * meanwhile. So the tree follows from the basis and the files alone, whatever was recorded in between.
 */
export async function recordFiles(
  into: Intake,
  repository: Repository,
  request: RecordRequest,
): Promise<RecordedFiles> {
  try {
    return await recordOnce(into, repository, request);
  } catch {
    // An index whose objects were pruned is useless and is built again. If the index was not the cause, the second attempt
    // throws.
    await emptyIndex(into);
    return await recordOnce(into, repository, request);
  }
}

async function recordOnce(into: Intake, repository: Repository, request: RecordRequest): Promise<RecordedFiles> {
  const { head, basis, isForgotten, label, atMs } = request;
  const sinceSeconds = secondOfDisk(into);
  const headTree = head?.tree ?? NO_TREE;
  const start = await alignIndex(into, headTree, isForgotten);
  const names = await findNames(into, repository, { head, start, basis: basis?.tree ?? NO_TREE });
  const files = [...inspectFiles(into.place.workTree, names.all, { findsUnreadable: true })];
  const isDirect = !isForgotten && into.hasModes && isSmall(files);
  const tree = isDirect ? start : await updateIndex(into, repository, { files, ignored: names.ignored, isForgotten });
  const kept = files.flatMap(({ name, kind }) => (kind === 'unreadable' ? (names.earlier(name) ?? []) : []));
  const changes = isDirect ? await changesOf(into, files, names.ignored) : [];
  const made = await recordChanges(into, {
    tree: tree === NO_TREE ? null : tree,
    changes: [...changes, ...kept],
    parent: head,
    label,
    atMs,
  });
  const modes = settleIndex(into, { files, sinceSeconds });
  writeIndexState(into, { tree, head: headTree });
  const unreadable = files.filter(({ kind }) => kind === 'unreadable').map(({ name }) => String(name));
  return { ...made, hasAdded: names.hasAdded, unreadable, modes };
}

/** Seconds by the clock that stamps files. */
function secondOfDisk(own: PrivateRepository): number {
  const file = join(own.folder, 'read-at');
  writeFileSync(file, '');
  return Math.floor(statSync(file).mtimeMs / 1000);
}

interface FoundNames {
  /** Names whose entry in the index may be wrong, each once. */
  readonly all: readonly Buffer[];
  /** Names that the index has, the basis does not, and git ignores. */
  readonly ignored: readonly Buffer[];
  readonly hasAdded: boolean;
  /** The version of the basis, where the index has another one. */
  earlier(name: Buffer): TreeChange | undefined;
}

async function findNames(
  into: Intake,
  repository: Repository,
  { head, start, basis }: { readonly head: Basis | null; readonly start: string; readonly basis: string },
): Promise<FoundNames> {
  const found = await differingNames(into, head);
  const changed = await withoutSparse(repository, found.changed);
  const differences = start === basis ? [] : await basisDifferences(into, start, basis);
  const missing = differences.filter(({ isInStart }) => !isInStart).map(({ name }) => name);
  const extra = differences.filter(({ change }) => change.kind === 'removed').map(({ name }) => name);
  const all = new Map([...changed, ...found.added, ...missing].map((name) => [name.toString('latin1'), name]));
  const earlier = new Map(differences.map(({ name, change }) => [name.toString('latin1'), change]));
  return {
    all: [...all.values()],
    ignored: await ignoredNames(into, extra),
    hasAdded: found.added.length > 0,
    earlier: (name) => earlier.get(name.toString('latin1')),
  };
}

function isSmall(files: readonly WorkFile[]): boolean {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return files.length <= DIRECT_CHANGES_MAX && bytes <= DIRECT_CHANGES_BYTES_MAX;
}

async function changesOf(
  into: Intake,
  files: readonly WorkFile[],
  ignored: readonly Buffer[],
): Promise<readonly TreeChange[]> {
  const changes: TreeChange[] = ignored.map((name) => ({ kind: 'removed', name }));
  for (const { name, kind } of files) {
    if (kind === 'unreadable') continue;
    const read = kind === 'file' || kind === 'link' ? readWorkFile(into.place.workTree, name) : null;
    const nested = kind === 'folder' ? await nestedCommit(into.place.workTree, name) : null;
    if (read) {
      // The store may have these bytes from an earlier shadow, and the repository may have lost them.
      into.bringAlong(blobName(read.bytes, into.objectBytes));
      changes.push({ kind: 'bytes', name, ...read });
    } else if (nested) changes.push({ kind: 'object', name, mode: '160000', object: nested });
    else changes.push({ kind: 'removed', name });
  }
  return changes;
}

interface IndexUpdate {
  readonly files: readonly WorkFile[];
  readonly ignored: readonly Buffer[];
  readonly isForgotten: boolean;
}

/** Updates the kept index instead, where many files changed: they are compared with it next time. */
async function updateIndex(
  into: Intake,
  repository: Repository,
  { files, ignored, isForgotten }: IndexUpdate,
): Promise<string> {
  forgetIndexState(into);
  const run = async (flags: readonly string[], names: readonly Buffer[]) => {
    if (names.length === 0) return;
    const input = Buffer.concat(names.flatMap((name) => [name, NUL]));
    // Without the store, which may have an object that the repository has lost.
    const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: undefined };
    await git(into.place, { args: ['update-index', ...flags, '-z', '--stdin'], input, env });
  };
  const namesOf = (isWanted: (kind: WorkFile['kind']) => boolean) =>
    files.filter(({ kind }) => isWanted(kind)).map(({ name }) => name);
  await run(['--force-remove'], [...ignored, ...namesOf((kind) => kind === 'gone')]);
  await run(
    ['--add', '--remove', '--replace'],
    namesOf((kind) => kind !== 'gone' && kind !== 'unreadable'),
  );
  if (isForgotten) await writeTreesFor(repository, into);
  return await gitLine(into.place, { args: ['write-tree'] });
}

/** Writes the trees that the repository does not have, whatever Baton's own store has. */
async function writeTreesFor(repository: Repository, own: PrivateRepository): Promise<void> {
  const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objectsOf(repository)) };
  // A broken repository has no objects to build on.
  await git(own.place, { args: ['write-tree'], env, exitCodes: [0, 128] });
}

/** Brings modes and doubts up to date, both of which follow from the times in the index. */
function settleIndex(
  into: Intake,
  { files, sinceSeconds }: { readonly files: readonly WorkFile[]; readonly sinceSeconds: number },
): FileModes {
  const index = hasIndexChanged(into) ? readIndex(into) : null;
  const modes = readModes(into, { files, index, nowSeconds: sinceSeconds });
  if (index) distrustFreshEntries(into, index, sinceSeconds);
  return modes;
}

/** A sparse checkout leaves files out that nobody deleted. */
async function withoutSparse(repository: Repository, names: readonly Buffer[]): Promise<readonly Buffer[]> {
  if (names.length === 0 || !existsSync(join(repository.gitDir, 'info', 'sparse-checkout'))) return names;
  const place = { gitDir: repository.gitDir, workTree: repository.root };
  const { stdout } = await git(place, { args: ['ls-files', '-z', '-t'] });
  const skipped = new Set<string>();
  for (const line of splitAtNul(stdout)) {
    if (line.subarray(0, 2).equals(Buffer.from('S '))) skipped.add(line.subarray(2).toString('latin1'));
  }
  const files = inspectFiles(repository.root, names, { findsUnreadable: false });
  return [...files]
    .filter(({ name, kind }) => !skipped.has(name.toString('latin1')) || kind !== 'gone')
    .map(({ name }) => name);
}
