import { FOLDER_MODES, SUBMODULE_MODE } from '../../domain/work/judge-tree.ts';
import { type GitPlace, git } from '../../workspace/git.ts';

/** An object of git. */
export interface ListedObject {
  readonly name: string;
  readonly type: 'commit' | 'tree' | 'blob';
  readonly bytes: number;
  /** A path that leads to it; empty for a commit and for the root of its files. */
  readonly path: string;
}

/** One name in a folder. */
export interface StoredEntry {
  readonly mode: string;
  /** One character a byte. */
  readonly name: string;
  readonly object: string;
}

export interface ReadTrees {
  /** Every object of the commits, each once, in an order that follows from their content. */
  readonly objects: ReadonlyMap<string, ListedObject>;
  /** The entries of each folder. */
  readonly folders: ReadonlyMap<string, readonly StoredEntry[]>;
  /** The folder of each commit. */
  readonly roots: ReadonlyMap<string, string>;
}

/** Folders in folders. No path of a real disk has more. */
const DEPTH_MAX = 500;
const TREE = /^tree ([0-9a-f]{40}|[0-9a-f]{64})\n/;

/**
 * Reads commits and all their folders, without their history. Git only hands over bytes: it would stop with an error at a folder
 * that is not as it makes them. Each folder is read once, however often it occurs. Returns the reason as text where one cannot
 * be read.
 */
export async function readTrees(place: GitPlace, commits: readonly string[]): Promise<ReadTrees | string> {
  const objects = new Map<string, ListedObject>();
  const roots = new Map<string, string>();
  const read = await readObjects(place, commits);
  for (const commit of commits) {
    const found = read.get(commit);
    if (found?.type !== 'commit') return `${commit} is no commit of it`;
    const tree = TREE.exec(found.bytes.toString('latin1'))?.[1];
    if (tree === undefined || tree.length !== commit.length) return `the commit ${commit} has no files`;
    objects.set(commit, { name: commit, type: 'commit', bytes: found.bytes.length, path: '' });
    roots.set(commit, tree);
  }
  const folders = await readFolders(place, new Map([...roots.values()].map((root) => [root, ''])), objects);
  if (typeof folders === 'string') return folders;
  const missing = await addFiles(place, folders, objects);
  return missing ?? { objects, folders, roots };
}

type Folders = Map<string, readonly StoredEntry[]>;

/** One level of folders after the other. */
async function readFolders(
  place: GitPlace,
  first: ReadonlyMap<string, string>,
  objects: Map<string, ListedObject>,
): Promise<Folders | string> {
  const folders: Folders = new Map();
  let level = first;
  for (let depth = 0; level.size > 0; depth++) {
    if (depth > DEPTH_MAX) return `it has more than ${DEPTH_MAX} folders in each other`;
    const read = await readObjects(place, [...level.keys()]);
    const next = new Map<string, string>();
    for (const [tree, path] of level) {
      const found = read.get(tree);
      if (found?.type !== 'tree') return missingText(tree, path);
      const entries = entriesOf(found.bytes, tree.length / 2);
      if (entries === null) return `the folder ${JSON.stringify(path)} is damaged`;
      folders.set(tree, entries);
      objects.set(tree, { name: tree, type: 'tree', bytes: found.bytes.length, path });
      for (const { mode, object, name } of entries) {
        if (FOLDER_MODES.includes(mode) && !folders.has(object) && !next.has(object))
          next.set(object, joined(path, name));
      }
    }
    level = next;
  }
  return folders;
}

/** Adds the files of all folders with their sizes. */
async function addFiles(place: GitPlace, folders: Folders, objects: Map<string, ListedObject>): Promise<string | null> {
  const paths = new Map<string, string>();
  for (const [tree, entries] of folders) {
    for (const { mode, name, object } of entries) {
      if (FOLDER_MODES.includes(mode) || mode === SUBMODULE_MODE || paths.has(object)) continue;
      paths.set(object, joined(objects.get(tree)?.path ?? '', name));
    }
  }
  const input = Buffer.from([...paths.keys()].map((name) => `${name}\n`).join(''));
  const format = '%(objectname) %(objecttype) %(objectsize)';
  const { stdout } = await git(place, { args: ['cat-file', `--batch-check=${format}`], input });
  for (const line of stdout.toString('latin1').split('\n')) {
    const [name = '', type = '', size = ''] = line.split(' ');
    if (name === '') continue;
    const path = paths.get(name) ?? '';
    if (size === '') return missingText(name, path);
    if (type !== 'blob') return `${JSON.stringify(path)} is not what its folder says`;
    objects.set(name, { name, type, bytes: Number(size), path });
  }
  return null;
}

function missingText(object: string, path: string): string {
  return `${object}, ${JSON.stringify(path)}, is missing`;
}

/** As text: names in messages need not be exact. */
function joined(folder: string, name: string): string {
  const text = Buffer.from(name, 'latin1').toString('utf8');
  return folder === '' ? text : `${folder}/${text}`;
}

interface ReadObject {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The objects that are there. */
async function readObjects(place: GitPlace, names: readonly string[]): Promise<ReadonlyMap<string, ReadObject>> {
  const input = Buffer.from(names.map((name) => `${name}\n`).join(''));
  const { stdout } = await git(place, { args: ['cat-file', '--batch'], input });
  const found = new Map<string, ReadObject>();
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf(0x0a, at);
    const [name = '', type = '', size = ''] = stdout.toString('latin1', at, end).split(' ');
    at = end + 1;
    // `NAME missing`
    if (size === '') continue;
    found.set(name, { type, bytes: stdout.subarray(at, at + Number(size)) });
    at += Number(size) + 1;
  }
  return found;
}

const NUL = 0;
const BLANK = 0x20;

/** `mode name NUL object`, one after the other; null where a part is missing. */
function entriesOf(tree: Buffer, objectBytes: number): readonly StoredEntry[] | null {
  const entries: StoredEntry[] = [];
  for (let at = 0; at < tree.length; ) {
    const blank = tree.indexOf(BLANK, at);
    const end = tree.indexOf(NUL, at);
    if (blank === -1 || end < blank || end + 1 + objectBytes > tree.length) return null;
    entries.push({
      mode: tree.toString('latin1', at, blank),
      name: tree.toString('latin1', blank + 1, end),
      object: tree.toString('hex', end + 1, end + 1 + objectBytes),
    });
    at = end + 1 + objectBytes;
  }
  return entries;
}
