import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { TASK_STATUSES } from '../../domain/task/task-lifecycle.ts';

/** Files of a data folder that the ledger cannot write again: receipts, logs, results, task folders and settings. */
const KEPT = ['runs', 'tasks', 'config.yaml', 'signers'];
/** Saved files behind diff, undo and rollback: as large as the work. */
const WORK = ['shadows', 'snapshots', 'saved', 'undone'];

/** The part of a node that knows the files beside its ledger. */
export function keptFilesOf(dataFolder: string) {
  return {
    packFiles: (draft: string, withWork: boolean) => packFiles(dataFolder, draft, withWork),
    leftOut: leftOutOf,
  };
}

/** The parts of a data folder that a backup does not have, for people. */
function leftOutOf(withWork: boolean): readonly string[] {
  return [
    ...(withWork ? [] : ['the saved files behind diff and undo (baton backup --with-work adds them)']),
    'worktrees',
    'node.key, of which a restore makes a new one',
  ];
}

/** Appends the kept files to a backup, after its ledger: a file that comes or grows meanwhile is newer, never missing. */
function packFiles(dataFolder: string, draft: string, withWork: boolean): number {
  const roots = withWork ? [...KEPT, ...WORK] : KEPT;
  let count = 0;
  for (const root of roots) {
    for (const path of filesBelow(dataFolder, root)) {
      if (isMirrored(path)) continue;
      if (packFile(join(dataFolder, path), path, draft)) count++;
    }
  }
  return count;
}

/** Regular files only; a link could lead out of the folder. */
function* filesBelow(dataFolder: string, path: string): Generator<string> {
  const entries = readFolder(join(dataFolder, path));
  if (entries === null) {
    yield path;
    return;
  }
  for (const entry of entries) {
    if (entry.isDirectory()) yield* filesBelow(dataFolder, `${path}/${entry.name}`);
    else if (entry.isFile()) yield `${path}/${entry.name}`;
  }
}

/** Null for a file. */
function readFolder(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') return null;
    // Removed meanwhile.
    if (code === 'ENOENT') return [];
    throw error;
  }
}

/** The mirror writes the files of tasks again, and those of drafts are of a writer that is at work. */
function isMirrored(path: string): boolean {
  return /^tasks\/[^/]+\/[^/]+$/.test(path) || path.endsWith('.tmp');
}

const CHUNK_BYTES = 1024 * 1024;
const LENGTH_BYTES = 4;

interface Header {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
}

/** A length, the header as JSON, and the bytes. False for a file that is gone. */
function packFile(file: string, path: string, draft: string): boolean {
  let from: number;
  try {
    from = openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  try {
    const { mode, size } = fstatSync(from);
    const header = Buffer.from(JSON.stringify({ path, mode: mode & 0o777, size } satisfies Header));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(header.length);
    appendFileSync(draft, Buffer.concat([length, header]));
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (let left = size; left > 0; ) {
      const read = readSync(from, buffer, 0, Math.min(left, CHUNK_BYTES), null);
      // Cut meanwhile: the length that the header promises stays.
      const bytes = read === 0 ? Buffer.alloc(Math.min(left, CHUNK_BYTES)) : buffer.subarray(0, read);
      appendFileSync(draft, bytes);
      left -= bytes.length;
    }
    return true;
  } finally {
    closeSync(from);
  }
}

/** Unpacks the files of a backup into a folder, as its bytes arrive. They count once the backup has proved to be whole. */
export class Unpacking {
  readonly folder: string;
  #pending: Buffer = Buffer.alloc(0);
  #file: { readonly descriptor: number; left: number } | null = null;

  constructor(folder: string) {
    this.folder = folder;
  }

  take(chunk: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    while (this.#step());
  }

  remove(): void {
    if (this.#file) closeSync(this.#file.descriptor);
    this.#file = null;
    rmSync(this.folder, { recursive: true, force: true });
  }

  #step(): boolean {
    return this.#file === null ? this.#begin() : this.#write(this.#file);
  }

  #begin(): boolean {
    if (this.#pending.length < LENGTH_BYTES) return false;
    const end = LENGTH_BYTES + this.#pending.readUInt32BE(0);
    if (this.#pending.length < end) return false;
    const { path, mode, size } = JSON.parse(this.#pending.toString('utf8', LENGTH_BYTES, end)) as Header;
    this.#pending = this.#pending.subarray(end);
    const file = join(this.folder, safePath(path));
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.#file = { descriptor: openSync(file, 'w', mode), left: size };
    return true;
  }

  #write(file: { readonly descriptor: number; left: number }): boolean {
    const bytes = this.#pending.subarray(0, file.left);
    if (bytes.length > 0) writeSync(file.descriptor, bytes);
    this.#pending = this.#pending.subarray(bytes.length);
    file.left -= bytes.length;
    if (file.left > 0) return false;
    closeSync(file.descriptor);
    this.#file = null;
    return this.#pending.length > 0;
  }
}

/** Nothing in a backup leads out of the data folder, or to a file that decides who uses it. */
function safePath(path: string): string {
  const [root = '', ...rest] = path.split('/');
  const isPlain = [root, ...rest].every((name) => name !== '' && name !== '.' && name !== '..' && !name.includes('\0'));
  if (isPlain && [...KEPT, ...WORK].includes(root)) return path;
  throw new Error(`a backup names the file ${path}`);
}

/** Moves files to their places in a data folder; one that is there already stays. Returns how many were moved. */
export function placeFiles(from: string, dataFolder: string): number {
  let count = 0;
  for (const root of [...KEPT, ...WORK]) {
    for (const path of [...filesBelow(from, root)]) {
      const place = join(dataFolder, placeOf(path, dataFolder));
      if (isMirrored(path) || existsSync(place)) continue;
      mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
      renameSync(join(from, path), place);
      count++;
    }
  }
  return count;
}

/** Copies the files of a tree that was set aside back to their places: the ledger cannot write them again. */
export function bringBack(tree: string, dataFolder: string): void {
  const copy = join(dataFolder, 'rebuilding-files');
  rmSync(copy, { recursive: true, force: true });
  for (const folder of ['runs', 'tasks']) {
    if (existsSync(join(tree, folder))) cpSync(join(tree, folder), join(copy, folder), { recursive: true });
  }
  placeFiles(copy, dataFolder);
  rmSync(copy, { recursive: true, force: true });
}

/** The folder of a task lies beside its file, which may have another status than when the backup was made. */
function placeOf(path: string, dataFolder: string): string {
  const [root, , task, ...rest] = path.split('/');
  if (root !== 'tasks' || task === undefined) return path;
  const status = TASK_STATUSES.find((name) => existsSync(join(dataFolder, 'tasks', name, `${task}.md`)));
  return status === undefined ? path : ['tasks', status, task, ...rest].join('/');
}
