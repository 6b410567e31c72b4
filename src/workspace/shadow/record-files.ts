import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIRECT_CHANGES_BYTES_MAX, DIRECT_CHANGES_MAX } from '../../domain/limits.ts';
import type { Repository } from '../../domain/work/repository.ts';
import { type ChangedName, changesSinceBasis } from './basis-changes.ts';
import { blobName, commitChanges, type TreeChange } from './commit-changes.ts';
import { type EarlierRules, type FoundNames, findNames } from './find-names.ts';
import { findUnrecorded, type UnrecordedFiles } from './find-unrecorded.ts';
import {
  alignIndex,
  emptyIndex,
  inspectIndexed,
  NO_TREE,
  settleIndex,
  updateIndex,
  writeIndexState,
} from './kept-index.ts';
import type { Basis } from './object-store.ts';
import type { PrivateRepository } from './private-repository.ts';
import type { StagingArea } from './staging-area.ts';
import { inspectFiles, nestedCommit, readWorkFile, type WorkFile } from './work-file.ts';

/** All files of a work tree, recorded as a commit. */
export interface RecordedFiles extends Basis {
  /** Files that are in no commit: git reports them whatever it does to line ends. */
  readonly hasAdded: boolean;
  /** Ignored files and folders, each folder once and with a slash at its end. */
  readonly ignored: readonly Buffer[];
  /** Files that could not be read, and are recorded with their earlier bytes. */
  readonly unreadable: readonly string[];
  readonly modes: ReturnType<typeof settleIndex>;
  /** The files that differ from the basis; null where there are too many to compare here. */
  readonly changed: readonly ChangedName[] | null;
  /** Null where nobody asked. */
  readonly unrecorded: UnrecordedFiles | null;
}

export interface RecordRequest {
  readonly head: Basis | null;
  readonly basis: Basis | null;
  readonly rules?: EarlierRules | undefined;
  readonly findsUnrecorded: boolean;
  readonly label: string;
  readonly atMs: number;
}

/**
 * Records all files that are in the work tree now, ignored ones aside. A file of `basis` stays in although it is ignored
 * meanwhile. So the tree follows from the basis and the files alone, whatever was recorded in between.
 */
export async function recordFiles(
  into: StagingArea,
  repository: Repository,
  request: RecordRequest,
): Promise<RecordedFiles> {
  try {
    return await recordOnce(into, repository, request);
  } catch (error) {
    if (into.place.signal?.aborted) throw error;
    // An index whose objects were pruned is useless and is built again. If the index was not the cause, the second attempt
    // throws.
    await emptyIndex(into);
    return await recordOnce(into, repository, request);
  }
}

async function recordOnce(into: StagingArea, repository: Repository, request: RecordRequest): Promise<RecordedFiles> {
  const { head, basis, rules, findsUnrecorded, label, atMs } = request;
  const sinceSeconds = secondOfDisk(into);
  const headTree = head?.tree ?? NO_TREE;
  const start = await alignIndex(into, headTree);
  const finding = findNames(into, repository, { head, start, basis: basis?.tree ?? NO_TREE, rules });
  const [names, first] = await Promise.all([finding, inspectIndexed(into)]);
  const unrecorded = findsUnrecorded ? await findUnrecorded(into, names.ignoredEntries) : null;
  const files = [...inspectFiles(into.place.workTree, names.all, { findsUnreadable: true })];
  const isDirect = into.hasModes && isSmall(files);
  const tree = isDirect ? start : await updateIndex(into, { files, ignored: names.ignored });
  const direct = isDirect ? await changesOf(into, files, names) : [];
  const changes = [...direct, ...earlierVersions(files, names)];
  const made = await commitChanges(into, {
    tree: tree === NO_TREE ? null : tree,
    changes,
    parent: head,
    label,
    atMs,
  });
  const modes = settleIndex(into, { files, first, sinceSeconds });
  writeIndexState(into, { tree, head: headTree });
  const unreadable = files.filter(({ kind }) => kind === 'unreadable').map(({ name }) => String(name));
  const changed = isDirect ? changesSinceBasis(names, changes) : null;
  const { hasAdded, ignoredEntries: ignored } = names;
  return { ...made, hasAdded, ignored, unreadable, modes, changed, unrecorded };
}

/** A file that cannot be read keeps the version of the basis, where the index has another one. */
function earlierVersions(files: readonly WorkFile[], { differences }: FoundNames): readonly TreeChange[] {
  const unreadable = new Set(files.filter(({ kind }) => kind === 'unreadable').map(({ name }) => String(name)));
  return differences
    .filter(({ name }) => unreadable.has(String(name)))
    .map(({ name, inBasis }) => (inBasis ? { kind: 'object', name, ...inBasis } : { kind: 'removed', name }));
}

/** Seconds by the clock that stamps files. */
function secondOfDisk(own: PrivateRepository): number {
  const file = join(own.folder, 'read-at');
  writeFileSync(file, '');
  return Math.floor(statSync(file).mtimeMs / 1000);
}

function isSmall(files: readonly WorkFile[]): boolean {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return files.length <= DIRECT_CHANGES_MAX && bytes <= DIRECT_CHANGES_BYTES_MAX;
}

async function changesOf(
  into: StagingArea,
  files: readonly WorkFile[],
  names: FoundNames,
): Promise<readonly TreeChange[]> {
  const changes: TreeChange[] = names.ignored.map((name) => ({ kind: 'removed', name }));
  for (const { name, kind } of files) {
    if (kind === 'unreadable') continue;
    const read = kind === 'file' || kind === 'link' ? readWorkFile(into.place.workTree, name) : null;
    const nested = kind === 'folder' ? await nestedCommit(into.place.workTree, name) : null;
    if (read) {
      changes.push({ kind: 'bytes', name, object: blobName(read.bytes, into.objectBytes), ...read });
    } else if (nested) changes.push({ kind: 'object', name, mode: '160000', object: nested });
    // Of a name that the index does not have, git would remove the folder that stands there now.
    else if (names.indexed(name)) changes.push({ kind: 'removed', name });
  }
  return changes;
}
