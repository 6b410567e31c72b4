import { createHash } from 'node:crypto';
import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import {
  IGNORED_FILE_BYTES_MAX,
  IGNORED_FILES_MAX,
  IGNORED_TREE_FILES_MAX,
  NESTED_FILES_MAX,
  SMALL_TREE_FILES_MAX,
} from '../../domain/limits.ts';
import type { IgnoredFile, IgnoredState, IgnoredTree, WrittenTree } from '../../domain/work/ignored-files.ts';
import { inSlices } from '../../platform/timer.ts';
import { readPlainBytes } from '../files/read-plain-file.ts';

/** A folder of ignored files, and what is known of them. */
export interface IgnoredPlace {
  readonly root: string;
  /** Ignored files and folders as git lists them. */
  readonly names: readonly string[];
  /** An earlier state: a file with the same stamp is not read again. */
  readonly known: IgnoredState | null;
  readonly atMs: number;
  /** Nested repositories among the names. Their git folders are not entered. */
  readonly repositories?: readonly string[];
  /** Reads the known files of a large folder too, since they were saved while it was small. */
  readonly comparesKnown?: boolean;
}

/** Receives the bytes of each file or link that was read. */
export type TakeBytes = (hash: string, bytes: Buffer) => void;

/** The clock that stamps files runs a few milliseconds behind. */
const CLOCK_GRAIN_MS = 20n;
/** A file that changed within this time may change again without a newer stamp. */
const SETTLED_MS = 2_000n;
const MS = 1_000_000n;
const EXAMPLES_MAX = 50;
const GIT = '.git';

/**
 * Reads the ignored files of a workspace and those of nested repositories: small ones by their bytes, large folders by their
 * number of files.
 */
export async function readIgnored(place: IgnoredPlace, take: TakeBytes): Promise<IgnoredState> {
  const files: Record<string, IgnoredFile> = {};
  const trees: Record<string, IgnoredTree> = {};
  const sliceEnd = inSlices();
  let left = IGNORED_FILES_MAX;
  for (const part of await partsOf(place)) {
    await sliceEnd();
    if (part.isFolder && part.names.length > Math.min(part.filesMax, left)) {
      const hashes = part.names.map(hashOfName).sort((a, b) => a - b);
      trees[part.name] = { files: part.names.length, names: hashes, isWhole: part.isWhole };
      for (const path of place.comparesKnown ? knownIn(place, part.name) : []) {
        const file = readFile(place, path, take);
        if (file) files[path] = file;
      }
      continue;
    }
    for (const path of part.names) {
      const file = left-- > 0 ? readFile(place, path, take) : null;
      if (file) files[path] = file;
    }
  }
  return { at: place.atMs, entries: place.names, files, trees };
}

function knownIn({ known }: IgnoredPlace, folder: string): readonly string[] {
  return Object.keys(known?.files ?? {}).filter((path) => path.startsWith(folder));
}

interface Part extends NamesBelow {
  readonly name: string;
  readonly isFolder: boolean;
  /** A folder with more files is not read file by file. */
  readonly filesMax: number;
}

/** Each ignored file or folder is a part; a large nested repository is divided into its folders. */
async function partsOf({ root, names, repositories = [] }: IgnoredPlace): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const name of names) {
    if (!name.endsWith('/')) parts.push({ name, isFolder: false, filesMax: 1, names: [name], isWhole: true });
    else if (!repositories.includes(name)) parts.push(await folderPart(root, name, false));
    else {
      const whole = { ...(await folderPart(root, name, true)), filesMax: NESTED_FILES_MAX };
      parts.push(...(whole.names.length > NESTED_FILES_MAX ? await dividedPart(root, name) : [whole]));
    }
  }
  return parts;
}

async function folderPart(root: string, name: string, skipsGit: boolean): Promise<Part> {
  const below = await namesBelow(root, name, skipsGit);
  return { name, isFolder: true, filesMax: SMALL_TREE_FILES_MAX, ...below };
}

async function dividedPart(root: string, repository: string): Promise<readonly Part[]> {
  const entries = entriesIn(root, repository).filter(({ name }) => name !== GIT);
  const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => repository + name);
  const own = { name: repository, isFolder: false, filesMax: files.length, names: files, isWhole: true };
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${repository + name}/`);
  return [own, ...(await Promise.all(folders.map((folder) => folderPart(root, folder, true))))];
}

interface NamesBelow {
  readonly names: string[];
  readonly isWhole: boolean;
}

/** Files and links below a folder, to any depth; follows no link. */
export async function namesBelow(root: string, folder: string, skipsGit: boolean): Promise<NamesBelow> {
  const names: string[] = [];
  const waiting = [folder];
  const sliceEnd = inSlices();
  for (let inner = waiting.pop(); inner !== undefined; inner = waiting.pop()) {
    await sliceEnd();
    for (const entry of entriesIn(root, inner)) {
      if (skipsGit && entry.name === GIT) continue;
      const path = inner + entry.name;
      if (entry.isDirectory()) waiting.push(`${path}/`);
      else names.push(path);
      if (names.length >= IGNORED_TREE_FILES_MAX) return { names, isWhole: false };
    }
  }
  return { names: names.sort(), isWhole: true };
}

function entriesIn(root: string, folder: string) {
  try {
    return readdirSync(pathOf(root, folder), { withFileTypes: true, encoding: 'latin1' });
  } catch {
    // Gone meanwhile, a link, or closed to this user: nothing to see.
    return [];
  }
}

function pathOf(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}

/** One file or link; null where there is none. */
export function readFile({ root, known, atMs }: IgnoredPlace, path: string, take: TakeBytes): IgnoredFile | null {
  const whole = pathOf(root, path);
  const stats = statsOf(whole);
  if (!stats?.isFile() && !stats?.isSymbolicLink()) return null;
  const kind = stats.isFile() ? 'file' : 'link';
  const about = {
    kind,
    size: Number(stats.size),
    mode: Number(stats.mode & 0o7777n),
    stamp: stampOf(stats, atMs),
  } as const;
  const before = known?.files[path];
  if (before && before.stamp !== '' && before.stamp === about.stamp)
    return { ...about, hash: before.hash, isSaved: false };
  const bytes =
    kind === 'link' ? readlinkSync(whole, { encoding: 'buffer' }) : readPlainBytes(whole, IGNORED_FILE_BYTES_MAX);
  if (bytes === null) return { ...about, hash: null, isSaved: false, stamp: writtenStamp(stats) };
  const hash = hashOfBytes(bytes);
  take(hash, bytes);
  return { ...about, hash, isSaved: false };
}

export function hashOfBytes(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 40);
}

function statsOf(path: Buffer): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A file lies where its folder was.
    return undefined;
  }
}

function writtenStamp({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

function stampOf(stats: BigIntStats, atMs: number): string {
  return BigInt(Math.floor(atMs)) - stats.ctimeNs / MS > SETTLED_MS ? writtenStamp(stats) : '';
}

/** Finds the files of large folders that were written since a state. A folder that is gone is left out. */
export async function findWritten(root: string, before: IgnoredState): Promise<Record<string, WrittenTree>> {
  const found: Record<string, WrittenTree> = {};
  const sinceNs = (BigInt(Math.floor(before.at)) - CLOCK_GRAIN_MS) * MS;
  const sliceEnd = inSlices();
  const repositories = Object.keys(before.repositories ?? {});
  for (const [folder, tree] of Object.entries(before.trees)) {
    const skipsGit = repositories.some((path) => folder.startsWith(path));
    const { names } = await namesBelow(root, folder, skipsGit);
    if (names.length === 0) continue;
    const known = Uint32Array.from(tree.names);
    const written = { files: names.length, changed: 0, created: 0, examples: [] as string[] };
    for (const name of names) {
      await sliceEnd();
      const stats = statsOf(pathOf(root, name));
      const isNew = !hasName(known, hashOfName(name));
      if (isNew) written.created += 1;
      else if (stats && stats.ctimeNs >= sinceNs) {
        written.changed += 1;
        if (written.examples.length < EXAMPLES_MAX) written.examples.push(name);
      }
    }
    found[folder] = written;
  }
  return found;
}

/** FNV-1a, 32 bits: a chance of one in 100,000 that a new file of a large folder counts as changed. */
export function hashOfName(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export function hasName(sorted: Uint32Array, hash: number): boolean {
  let [low, high] = [0, sorted.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = sorted[middle] as number;
    if (value === hash) return true;
    if (value < hash) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
