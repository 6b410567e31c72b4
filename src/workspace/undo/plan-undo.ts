import type { RunSpan } from '../../domain/work/point.ts';
import { changedInTrees, type FileChange } from '../diff-shadows.ts';
import { isFileChange } from '../files/put-files.ts';
import type { GitPlace } from '../git.ts';
import { mergeTrees } from '../merge/merge-trees.ts';
import { blobName } from '../shadow/commit-changes.ts';
import type { PrivateRepository } from '../shadow/private-repository.ts';
import type { Shadow } from '../shadow/take-shadow.ts';
import { inspectFiles, readWorkFile } from '../shadow/work-file.ts';

type PresentState = Pick<Shadow, 'commit' | 'tree' | 'changed'>;

interface UndoStates extends RunSpan {
  /** Earlier runs to undo too, newest first; a person changed files between them. */
  readonly earlier?: readonly RunSpan[];
  /** The files as they are now, taken with `after` as its basis. */
  readonly present: PresentState;
  /** Only files that changed in one of these spans are the run's; absent where all are. */
  readonly within?: readonly RunSpan[];
}

export interface UndoPlan {
  /** Lead from the present state to one without the work of the run. */
  readonly files: readonly FileChange[];
  /** Files among them in which a person changed the same lines since: the plan puts back the state before the run. */
  readonly overlapping: readonly string[];
}

/**
 * Plans what an undo does to the files of a run, and only to those. A file that a person changed since keeps their change,
 * if it does not overlap with the run's.
 */
export async function planUndo(own: GitPlace, states: UndoStates): Promise<UndoPlan> {
  return states.earlier?.length ? planSpans(own, states, states.earlier) : planSpan(own, states);
}

/** Takes back one run after the other, newest first, in trees alone: the files change once, from the present to the last. */
async function planSpans(own: GitPlace, states: UndoStates, earlier: readonly RunSpan[]): Promise<UndoPlan> {
  const { present } = states;
  let tree = present.commit;
  /** The state before the oldest run that changed a file. */
  const oldest = new Map<string, string>();
  const overlapping = new Set<string>();
  const isOwn = await ownership(own, states);
  for (const { before, after } of [states, ...earlier]) {
    const work = (await changesBetween(own, after, before)).filter(isOwn);
    if (work.length === 0) continue;
    const merged = await mergeTrees(own, { base: after, ours: tree, theirs: before }, { followsRenames: false });
    tree = merged.tree;
    for (const { path } of work) oldest.set(path, before);
    for (const path of merged.kind === 'conflict' ? overlapsOf(work, merged.paths) : []) overlapping.add(path);
  }
  const byMerge = await changesBetween(own, present.commit, tree);
  const files = byMerge.filter(({ path }) => oldest.has(path) && !overlapping.has(path));
  for (const before of new Set(oldest.values())) {
    const whole = await changesBetween(own, present.commit, before);
    files.push(...whole.filter(({ path }) => overlapping.has(path) && oldest.get(path) === before));
  }
  return { files: files.sort((one, other) => Buffer.compare(one.name, other.name)), overlapping: [...overlapping] };
}

async function planSpan(own: GitPlace, states: UndoStates): Promise<UndoPlan> {
  const { before, after, present } = states;
  const work = (await changesBetween(own, after, before)).filter(await ownership(own, states));
  const since = await pathsSince(own, after, present);
  const untouched = work.filter(({ path }) => !since.has(path));
  const touched = new Set(work.filter(({ path }) => since.has(path)).map(({ path }) => path));
  if (touched.size === 0) return { files: untouched, overlapping: [] };
  // One that is as before the run already is done: an undo that was cut off can be repeated.
  const whole = (await changesBetween(own, present.commit, before)).filter(({ path }) => touched.has(path));
  if (whole.length === 0) return { files: untouched, overlapping: [] };
  const trees = { base: after, ours: present.commit, theirs: before };
  const merged = await mergeTrees(own, trees, { followsRenames: false });
  const overlaps = overlapsOf(whole, merged.kind === 'conflict' ? merged.paths : []);
  const byMerge = (await changesBetween(own, present.tree, merged.tree)).filter(({ path }) => touched.has(path));
  const files = [
    ...untouched,
    ...byMerge.filter(({ path }) => !overlaps.has(path)),
    ...whole.filter(({ path }) => overlaps.has(path)),
  ];
  return { files: files.sort((one, other) => Buffer.compare(one.name, other.name)), overlapping: [...overlaps] };
}

/** Git may report a conflict of a file with a folder under a name of its own; then no merged file counts. */
function overlapsOf(whole: readonly FileChange[], conflicts: readonly string[]): ReadonlySet<string> {
  const paths = whole.map(({ path }) => path);
  const isKnown = conflicts.every((path) => paths.includes(path));
  return new Set(isKnown ? paths.filter((path) => conflicts.includes(path)) : paths);
}

/** The state that a rewind led to may have files of a person, too. */
async function ownership(own: GitPlace, { within }: UndoStates): Promise<(change: FileChange) => boolean> {
  if (within === undefined) return () => true;
  const paths = await pathsOfSpans(own, within);
  return ({ path }) => paths.has(path);
}

/** The paths of all files that differ in one of the spans. */
export async function pathsOfSpans(own: GitPlace, spans: readonly RunSpan[]): Promise<ReadonlySet<string>> {
  const paths = new Set<string>();
  for (const span of spans) for (const { path } of await changedInTrees(own, span)) paths.add(path);
  return paths;
}

async function changesBetween(own: GitPlace, before: string, after: string): Promise<FileChange[]> {
  return (await changedInTrees(own, { before, after })).filter(isFileChange);
}

async function pathsSince(own: GitPlace, after: string, present: PresentState): Promise<ReadonlySet<string>> {
  const changed = present.changed ?? (await changesBetween(own, after, present.commit));
  return new Set(changed.map(({ path }) => path));
}

/** Files that changed after the shadow was taken. One that is closed to this user cannot be compared. */
export function changedMeanwhile(
  { place, objectBytes, hasModes }: PrivateRepository,
  files: readonly FileChange[],
): string[] {
  const names = files.map(({ name }) => name);
  const found = [...inspectFiles(place.workTree, names, { findsUnreadable: true })];
  return files
    .filter(({ name, before }, at) => {
      const kind = found[at]?.kind;
      if (kind === 'unreadable') return false;
      const read = kind === 'file' || kind === 'link' ? readWorkFile(place.workTree, name) : null;
      if (!read || !before) return Boolean(read) !== Boolean(before);
      return blobName(read.bytes, objectBytes) !== before.object || (hasModes && read.mode !== before.mode);
    })
    .map(({ path }) => path);
}
