import { WORK_FILES_MAX } from '../../domain/federation/federation-limits.ts';
import { FOLDER_MODES, judgeTree, LINK_MODE, SUBMODULE_MODE } from '../../domain/work/judge-tree.ts';
import type { GitPlace } from '../../workspace/git.ts';
import { type ListedObject, type ReadTrees, readTrees, type StoredEntry } from './read-trees.ts';

/** The files of a commit, each counted as often as it occurs. */
export interface TreeSize {
  readonly files: number;
  readonly bytes: number;
}

/** A file of a commit. */
export interface CommitFile extends Pick<StoredEntry, 'mode' | 'object'> {
  /** From the root. */
  readonly name: Buffer;
}

const PATH_BYTES_MAX = 4_000;
/** The longest target of a link that Linux has. */
const LINK_BYTES_MAX = 4_095;

/** Reads all folders of some commits and judges every name in them. Returns the reason as text where they must not be checked out. */
export async function walkTrees(place: GitPlace, commits: readonly string[]): Promise<WalkedTrees | string> {
  const read = await readTrees(place, commits);
  if (typeof read === 'string') return read;
  const judged = judgeAll(read);
  if (typeof judged === 'string') return judged;
  const measured = new Map<string, FolderSize>();
  for (const root of read.roots.values()) {
    const problem = measureFolder(root, read, measured);
    if (problem !== null) return problem;
  }
  return new WalkedTrees(read, measured, judged.twins);
}

type Twins = readonly [string, string] | null;

/** The files of some commits, all of which may be checked out. */
export class WalkedTrees {
  readonly #read: ReadTrees;
  readonly #measured: ReadonlyMap<string, FolderSize>;
  /** Two names that are one on some disks; null where there are none. */
  readonly twins: Twins;

  constructor(read: ReadTrees, measured: ReadonlyMap<string, FolderSize>, twins: Twins) {
    this.#read = read;
    this.#measured = measured;
    this.twins = twins;
  }

  get objects(): readonly ListedObject[] {
    return [...this.#read.objects.values()];
  }

  treeOf(commit: string): string {
    return this.#read.roots.get(commit) ?? '';
  }

  sizeOf(commit: string): TreeSize {
    return this.#measured.get(this.treeOf(commit)) ?? NOTHING;
  }

  /** The entry at a path of a commit, which has one character a byte; null where there is none. Links are not followed. */
  entryAt(commit: string, path: string): StoredEntry | null {
    let entry: StoredEntry | null = { mode: FOLDER_MODES[0] ?? '', name: '', object: this.treeOf(commit) };
    for (const part of path === '' ? [] : path.split('/')) {
      const entries: readonly StoredEntry[] = entry ? (this.#read.folders.get(entry.object) ?? []) : [];
      entry = entries.find(({ name }) => name === part) ?? null;
    }
    return entry;
  }

  /** All files below a folder of a commit, named from that folder. */
  filesBelow(commit: string, folder: string): readonly CommitFile[] {
    const files: CommitFile[] = [];
    const waiting: [prefix: string, tree: string][] = [['', this.entryAt(commit, folder)?.object ?? '']];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [prefix, tree] = next;
      for (const { mode, name, object } of this.#read.folders.get(tree) ?? []) {
        if (FOLDER_MODES.includes(mode)) waiting.push([`${prefix}${name}/`, object]);
        else files.push({ mode, object, name: Buffer.from(`${prefix}${name}`, 'latin1') });
      }
    }
    return files.sort((one, other) => Buffer.compare(one.name, other.name));
  }
}

const NOTHING: TreeSize = { files: 0, bytes: 0 };

function judgeAll({ objects, folders }: ReadTrees): { readonly twins: Twins } | string {
  let twins: Twins = null;
  for (const [tree, entries] of folders) {
    const folder = objects.get(tree)?.path ?? '';
    const pathOf = (name: string) => JSON.stringify(folder === '' ? name : `${folder}/${name}`);
    const named = entries.map(({ mode, name }) => ({ mode, name: textOf(name), nameBytes: name.length }));
    const judged = judgeTree(named);
    if (judged.problem) return `${pathOf(judged.problem.name)} is not allowed: ${judged.problem.reason}`;
    const odd = entries.find(({ mode, object }) => mode === LINK_MODE && !isLink(objects.get(object)));
    if (odd) return `${pathOf(textOf(odd.name))} is not allowed: no link is like it`;
    twins ??= judged.twins;
  }
  return { twins };
}

function textOf(name: string): string {
  return Buffer.from(name, 'latin1').toString('utf8');
}

function isLink(object: ListedObject | undefined): boolean {
  return object !== undefined && object.bytes > 0 && object.bytes <= LINK_BYTES_MAX;
}

interface FolderSize extends TreeSize {
  /** The longest path in it. */
  readonly pathBytes: number;
}

/**
 * Adds up a folder from those in it, each measured once: a few folders that name each other over and over are a billion files.
 * Not by recursion: a chain of folders may be longer than any stack. Returns the reason where it is too much.
 */
function measureFolder(root: string, read: ReadTrees, measured: Map<string, FolderSize>): string | null {
  const waiting = [root];
  for (let tree = waiting.at(-1); tree !== undefined; tree = waiting.at(-1)) {
    const entries = read.folders.get(tree) ?? [];
    const folders = new Set(entries.filter(({ mode }) => FOLDER_MODES.includes(mode)).map(({ object }) => object));
    const open = measured.has(tree) ? [] : [...folders].filter((object) => !measured.has(object));
    waiting.push(...open);
    if (open.length > 0) continue;
    waiting.pop();
    const size = measured.get(tree) ?? addUp(entries, read, measured);
    if (size.files > WORK_FILES_MAX) return `it has more than ${WORK_FILES_MAX} files`;
    if (size.pathBytes > PATH_BYTES_MAX) return `it has a path of more than ${PATH_BYTES_MAX} bytes`;
    measured.set(tree, size);
  }
  return null;
}

function addUp(
  entries: readonly StoredEntry[],
  { objects }: ReadTrees,
  measured: ReadonlyMap<string, FolderSize>,
): FolderSize {
  let size: FolderSize = { files: 0, bytes: 0, pathBytes: 0 };
  for (const { mode, object, name } of entries) {
    const inner = FOLDER_MODES.includes(mode)
      ? measured.get(object)
      : { files: 1, bytes: mode === SUBMODULE_MODE ? 0 : (objects.get(object)?.bytes ?? 0), pathBytes: 0 };
    const { files = 0, bytes = 0, pathBytes = 0 } = inner ?? {};
    const longest = Math.max(size.pathBytes, name.length + (pathBytes > 0 ? 1 + pathBytes : 0));
    size = { files: size.files + files, bytes: size.bytes + bytes, pathBytes: longest };
  }
  return size;
}
