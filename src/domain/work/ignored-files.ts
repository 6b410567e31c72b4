import { counted } from '../words/counted.ts';
/** A file or link that git ignores. */
export interface IgnoredFile {
  readonly kind: 'file' | 'link';
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  /** The hash of its bytes, or of the target of a link; null for a file that is too large to be saved. */
  readonly hash: string | null;
  /** Its bytes are in the data folder. */
  readonly isSaved: boolean;
  /** Changes with every write; empty where the file may have changed within the same moment. */
  readonly stamp: string;
}

/** A folder that git ignores, with too many files to save. */
export interface IgnoredTree {
  readonly files: number;
  /** Hashes of the names of its files, sorted: tells a changed file from a new one. */
  readonly names: readonly number[];
  /** False where it has more files than are looked at. */
  readonly isWhole: boolean;
}

/** The ignored files of a workspace at one moment. Paths have one character a byte. */
export interface IgnoredState {
  readonly at: number;
  /** Ignored files and folders as git lists them; a folder ends in a slash. */
  readonly entries: readonly string[];
  readonly files: Readonly<Record<string, IgnoredFile>>;
  readonly trees: Readonly<Record<string, IgnoredTree>>;
  /** Submodules and other repositories in the workspace, whose files no shadow has. Each ends in a slash. */
  readonly repositories?: Readonly<Record<string, NestedRepository>>;
  /** Permission bits of empty folders, which no commit can hold. Each ends in a slash. */
  readonly folders?: Readonly<Record<string, number>>;
}

/** A repository inside of the workspace's. */
export interface NestedRepository {
  /** Its git folder, from the root of the workspace. */
  readonly gitDir: string;
  /** The saved state of its branches, HEAD, index and stash; null where it could not be read. */
  readonly gitState: string | null;
}

/** Ignored files, files of a nested repository or empty folders that the work created, changed or removed. */
export interface IgnoredChange {
  /** A file, or the folder of several. */
  readonly path: string;
  readonly change: 'created' | 'changed' | 'removed';
  /** 0 for an empty folder, and for a repository of which only branches, HEAD, index or stash changed. */
  readonly files: number;
  /** An undo can put them back, or remove them if they are new. */
  readonly isSaved: boolean;
  /** Some files of a folder; absent for a file. */
  readonly examples?: readonly string[];
  /** The nested repository that it lies in, with a slash at its end. */
  readonly repository?: string;
  /** Sentences about the branches, HEAD, index and stash of a nested repository. */
  readonly git?: readonly string[];
}

/** The files of a large folder after the work. */
export interface WrittenTree {
  readonly files: number;
  /** Files written since, that were there before or not. */
  readonly changed: number;
  readonly created: number;
  readonly examples: readonly string[];
}

/** An ignored file is the same if its kind, mode and bytes are; of a large one, if it was not written. */
export function isSameIgnored(one: IgnoredFile | undefined, other: IgnoredFile | undefined): boolean {
  if (!one || !other) return one === other;
  if (one.kind !== other.kind || (one.kind === 'file' && one.mode !== other.mode)) return false;
  return one.hash === null || other.hash === null
    ? one.stamp === other.stamp && one.size === other.size
    : one.hash === other.hash;
}

interface TwoStates {
  readonly before: IgnoredState;
  readonly after: IgnoredState;
  /** Large folders of `before` as they are now; a folder that is gone is absent. */
  readonly written: Readonly<Record<string, WrittenTree>>;
}

/** The differences between two states: each changed or removed file, and new ones by the folder that is ignored. */
export function compareIgnored({ before, after, written }: TwoStates): readonly IgnoredChange[] {
  const removed = Object.keys(before.files).filter((path) => !after.files[path] && !isInTree(after, path));
  const both = Object.keys(before.files).filter((path) => after.files[path]);
  const changed = both.filter((path) => !isSameIgnored(before.files[path], after.files[path]));
  const created = Object.keys(after.files).filter((path) => !before.files[path] && !isInTree(before, path));
  const newTrees = Object.keys(after.trees).filter((path) => !before.trees[path] && !hasFilesIn(before, path));
  const changes = [
    ...changed.map((path) => fileChange(path, 'changed', before.files[path])),
    ...removed.map((path) => fileChange(path, 'removed', before.files[path])),
    ...Object.entries(before.trees).flatMap(([path, tree]) => treeChanges(path, tree, written[path])),
    ...createdByEntry(created, after),
    ...newTrees.map((path) => change(path, 'created', { files: after.trees[path]?.files ?? 0, isSaved: false })),
  ];
  const repositories = [...Object.keys(before.repositories ?? {}), ...Object.keys(after.repositories ?? {})].map(
    textOf,
  );
  return changes.map((each) => inRepository(each, repositories));
}

function inRepository(each: IgnoredChange, repositories: readonly string[]): IgnoredChange {
  const repository = repositories.find((one) => each.path.startsWith(one));
  return repository === undefined ? each : { ...each, repository };
}

function hasFilesIn({ files }: IgnoredState, folder: string): boolean {
  return Object.keys(files).some((path) => path.startsWith(folder));
}

/** Empty folders that came or went. */
export function folderChanges(came: readonly string[], gone: readonly string[]): readonly IgnoredChange[] {
  return [
    ...gone.map((path) => change(path, 'removed', { files: 0, isSaved: true })),
    ...came.map((path) => change(path, 'created', { files: 0, isSaved: true })),
  ];
}

/** A nested repository of which branches, HEAD, index or stash changed. */
export function repositoryChange(path: string, git: readonly string[]): IgnoredChange {
  return { path: textOf(path), change: 'changed', files: 0, isSaved: true, repository: textOf(path), git };
}

function isInTree({ trees }: IgnoredState, path: string): boolean {
  return Object.keys(trees).some((tree) => path.startsWith(tree));
}

function change(
  path: string,
  what: IgnoredChange['change'],
  more: Omit<IgnoredChange, 'path' | 'change'>,
): IgnoredChange {
  return { path: textOf(path), change: what, ...more };
}

function fileChange(path: string, what: IgnoredChange['change'], before: IgnoredFile | undefined): IgnoredChange {
  return change(path, what, { files: 1, isSaved: before?.isSaved ?? false });
}

function treeChanges(path: string, before: IgnoredTree, now: WrittenTree | undefined): readonly IgnoredChange[] {
  if (!now) return [change(path, 'removed', { files: before.files, isSaved: false })];
  const removed = Math.max(0, before.files - (now.files - now.created));
  const found = [
    ['changed', now.changed],
    ['removed', removed],
    ['created', now.created],
  ] as const;
  return found
    .filter(([, files]) => files > 0)
    .map(([what, files]) => {
      const examples = what === 'changed' ? { examples: now.examples.map(textOf) } : {};
      return change(path, what, { files, isSaved: false, ...examples });
    });
}

function createdByEntry(created: readonly string[], after: IgnoredState): readonly IgnoredChange[] {
  const folders = after.entries.filter((entry) => entry.endsWith('/'));
  const counts = new Map<string, number>();
  for (const path of created) {
    const entry = folders.find((one) => path.startsWith(one)) ?? path;
    counts.set(entry, (counts.get(entry) ?? 0) + 1);
  }
  return [...counts].map(([path, files]) => change(path, 'created', { files, isSaved: true }));
}

/** Names are bytes; this module has no decoder, so a name that is not ASCII is decoded as UTF-8 by its escapes. */
function textOf(path: string): string {
  try {
    return decodeURIComponent(
      path.replace(/[%\u0080-\u00ff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`),
    );
  } catch {
    return path;
  }
}

const SHOWN_MAX = 5;

/**
 * Sentences about ignored files, nested repositories and empty folders: one for each file that was changed or removed, one for
 * all new ones, one for the files of a repository. Contents are never shown.
 */
export function ignoredTexts(changes: readonly IgnoredChange[]): readonly string[] {
  const outside = changes.filter(({ repository }) => repository === undefined);
  const repositories = [...new Set(changes.flatMap(({ repository }) => repository ?? []))];
  const folders = outside.filter(({ files }) => files === 0);
  const ignored = outside.filter(({ files }) => files > 0);
  const created = ignored.filter(({ change: what }) => what === 'created');
  return [
    ...ignored.filter(({ change: what }) => what !== 'created').map(otherText),
    ...(created.length === 0 ? [] : [`new and ignored by git: ${namesOf(created.map(createdName))}`]),
    ...folderTexts(folders),
    ...repositories.flatMap((path) => repositoryTexts(path, changes)),
  ];
}

function createdName({ path, files }: IgnoredChange): string {
  return files === 1 ? path : `${path} (${counted(files, 'file')})`;
}

function namesOf(names: readonly string[]): string {
  const rest = names.length - SHOWN_MAX;
  return names.slice(0, SHOWN_MAX).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

function folderTexts(changes: readonly IgnoredChange[]): readonly string[] {
  const texts = [
    ['removed', 'empty folders removed'],
    ['created', 'new empty folders'],
  ] as const;
  return texts.flatMap(([what, words]) => {
    const names = changes.filter((each) => each.change === what).map(({ path }) => path.slice(0, -1));
    return names.length === 0 ? [] : [`${words}: ${namesOf(names)}`];
  });
}

const HOW = [
  ['changed', 'changed'],
  ['removed', 'removed'],
  ['created', 'new'],
] as const;

/** A repository is named with the numbers of its files, those that an undo cannot put back apart from the others. */
function repositoryTexts(path: string, changes: readonly IgnoredChange[]): readonly string[] {
  const own = changes.filter(({ repository }) => repository === path);
  const name = `in the repository ${path.slice(0, -1)}`;
  const texts = [true, false].flatMap((isSaved) => {
    const files = own.filter((each) => each.files > 0 && each.isSaved === isSaved);
    if (files.length === 0) return [];
    const counts = HOW.flatMap(([what, word]) => {
      const count = files.filter((each) => each.change === what).reduce((sum, each) => sum + each.files, 0);
      return count === 0 ? [] : [`${counted(count, 'file')} ${word}`];
    });
    const names = files.map((each) => each.path.slice(path.length)).filter((each) => each !== '');
    const shown = names.length === 0 ? '' : ` (${namesOf(names)})`;
    return [`${name}: ${counts.join(', ')}${shown}, ${isSaved ? 'saved' : 'not saved'}`];
  });
  return [...texts, ...own.flatMap(({ git = [] }) => git).map((text) => `${name}: ${text}`)];
}

function otherText({ path, change: what, files, isSaved, examples = [] }: IgnoredChange): string {
  const fate = isSaved ? 'saved' : 'not saved';
  if (!path.endsWith('/')) return `ignored by git: ${path} ${what}, ${fate}`;
  const [first] = examples;
  return `ignored by git: ${path.slice(0, -1)}: ${counted(files, 'file')} ${what}, ${fate}${first ? ` (${first})` : ''}`;
}
