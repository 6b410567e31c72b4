import { lstatSync, readdirSync, readFileSync, type Stats, statfsSync } from 'node:fs';
import { MIB } from '../../domain/limits.ts';
import { replaceFile } from './durable-files.ts';
import { bytesOf, type RawPath } from './raw-path.ts';

/** The names that searches of a workspace ask for, besides those that begin with a dot. */
const ASKED_NAMES = ['HEAD', 'objects', 'refs', 'commondir', 'ledger.sqlite', 'lock.sqlite', 'node.key'] as const;

export type AskedName = (typeof ASKED_NAMES)[number];

/** The names in a folder that a search needs, as raw names. */
export interface FolderNames {
  readonly folders: readonly string[];
  /** Files, links and everything else: names that begin with a dot, and those that a search asks for. */
  readonly others: readonly string[];
  /** Nothing at all is in the folder. */
  readonly isEmpty: boolean;
}

interface CachedFolder {
  readonly ctimeMs: number;
  readonly ino: number;
  readonly dev: number;
  readonly names: FolderNames;
  /** By this process. */
  isUsed: boolean;
}

const ASKED: ReadonlySet<string> = new Set(ASKED_NAMES);
const DOT = 46;
/** Keys and names that are kept; beyond it all are forgotten. */
const KEPT_CHARACTERS_MAX = 16 * MIB;
/** The size of the objects around the names of one folder. */
const CHARACTERS_PER_FOLDER = 200;
/** More than this is not saved: reading it would take as long as it saves. */
const SAVED_CHARACTERS_MAX = 4 * MIB;
/** A folder that changed just before it was read may change again without a newer time: some disks count in seconds. */
const SETTLED_MS = 2_000;
/**
 * Kinds of file system, by their magic numbers, that set a folder's ctime with every change of its names and let no program
 * set it: ext2–4, XFS, Btrfs, tmpfs, overlayfs, ZFS, F2FS, bcachefs.
 */
const WITH_HONEST_TIMES: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
]);

const kept = new Map<RawPath, CachedFolder>();
const devices = new Map<number, boolean>();
let keptCharacters = 0;
const loaded = new Set<string>();
/** Whether the kept names differ from the saved ones. */
let isChanged = false;

/**
 * Lists a folder. A run searches its workspace several times, and reading folders is most of the cost; so a folder is read
 * again only if its ctime says that a name in it came, went or changed. Throws as `readdir` does.
 */
export function namesIn(folder: RawPath): FolderNames {
  const path = bytesOf(folder);
  // Before the names are read: a change in between makes this time the older one.
  const stats = lstatSync(path);
  const known = kept.get(folder);
  if (known && known.ctimeMs === stats.ctimeMs && known.ino === stats.ino && known.dev === stats.dev) {
    known.isUsed = true;
    return known.names;
  }
  const names = readNames(path);
  if (stats.isDirectory() && isSettled(stats) && hasHonestTimes(path, stats)) keep(folder, stats, names);
  return names;
}

function readNames(path: string | Buffer): FolderNames {
  const folders: string[] = [];
  const others: string[] = [];
  const entries = readdirSync(path, { withFileTypes: true, encoding: 'latin1' });
  for (const entry of entries) {
    const { name } = entry;
    if (entry.isDirectory()) folders.push(name);
    else if (name.charCodeAt(0) === DOT || ASKED.has(name)) others.push(name);
  }
  return { folders, others, isEmpty: entries.length === 0 };
}

function isSettled({ ctimeMs }: Stats): boolean {
  return Date.now() - ctimeMs > SETTLED_MS;
}

function hasHonestTimes(path: string | Buffer, { dev }: Stats): boolean {
  const known = devices.get(dev);
  if (known !== undefined) return known;
  const isHonest = process.platform === 'linux' && WITH_HONEST_TIMES.has(statfsSync(path).type);
  devices.set(dev, isHonest);
  return isHonest;
}

function keep(folder: RawPath, { ctimeMs, ino, dev }: Stats, names: FolderNames): void {
  const characters = [folder, ...names.folders, ...names.others].reduce((sum, { length }) => sum + length, 0);
  keptCharacters += characters + CHARACTERS_PER_FOLDER;
  if (keptCharacters > KEPT_CHARACTERS_MAX) {
    kept.clear();
    keptCharacters = 0;
  }
  kept.set(folder, { ctimeMs, ino, dev, names, isUsed: true });
  isChanged = true;
}

type SavedFolder = readonly [
  path: RawPath,
  ctimeMs: number,
  ino: number,
  dev: number,
  folders: string,
  others: string,
  isEmpty: boolean,
];

/**
 * Takes over the names that an earlier process saved in this file, once a process. They count like names of this process:
 * only while the times of their folder are the same.
 */
export function loadNames(file: string): void {
  if (loaded.has(file)) return;
  loaded.add(file);
  for (const [path, ctimeMs, ino, dev, folders, others, isEmpty] of readSaved(file)) {
    const names = { folders: splitNames(folders), others: splitNames(others), isEmpty };
    if (!kept.has(path)) kept.set(path, { ctimeMs, ino, dev, names, isUsed: false });
  }
}

/** Saves the names of all folders that this process looked into. The file can be removed at any time. */
export function saveNames(file: string): void {
  if (!isChanged) return;
  const used = [...kept].filter(([, { isUsed }]) => isUsed);
  const saved = used.map(([path, { ctimeMs, ino, dev, names }]): SavedFolder => {
    return [path, ctimeMs, ino, dev, names.folders.join('/'), names.others.join('/'), names.isEmpty];
  });
  const text = JSON.stringify(saved);
  if (text.length > SAVED_CHARACTERS_MAX) return;
  try {
    replaceFile(file, text, { isSynced: false });
    isChanged = false;
  } catch {
    // A full disk, or a folder that was removed: the next process reads the folders.
  }
}

function splitNames(joined: string): readonly string[] {
  return joined === '' ? [] : joined.split('/');
}

function readSaved(file: string): readonly SavedFolder[] {
  try {
    const saved: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(saved) && saved.every(isSavedFolder) ? saved : [];
  } catch {
    // Absent or torn: the folders are read again.
    return [];
  }
}

function isSavedFolder(entry: unknown): entry is SavedFolder {
  const types = ['string', 'number', 'number', 'number', 'string', 'string', 'boolean'];
  return Array.isArray(entry) && entry.length === types.length && types.every((type, at) => typeof entry[at] === type);
}
