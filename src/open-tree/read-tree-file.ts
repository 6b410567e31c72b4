import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';

/** What tells one state of a file from another without reading it. */
export interface FileStamp {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

export type FileReading =
  | { readonly kind: 'absent' }
  /** Not a file, or one that is not to be read. */
  | { readonly kind: 'strange'; readonly problem: string; readonly stamp: FileStamp | null }
  | { readonly kind: 'file'; readonly sha256: string; readonly bytes: Buffer; readonly stamp: FileStamp };

export interface TreeFileAt {
  readonly root: string;
  readonly path: string;
  readonly bytesMax: number;
}

const GONE = ['ENOENT', 'ENOTDIR'];
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** Reads a file of the tree: no link is followed, no pipe waited for, nothing beyond the bound taken in. */
export function readTreeFile({ root, path, bytesMax }: TreeFileAt): FileReading {
  const file = join(root, path);
  let stamp: FileStamp | null = null;
  try {
    const stat = fs.lstatSync(file);
    stamp = stampOf(stat);
    const wrong = problemOf(stat, bytesMax);
    if (wrong !== null) return { kind: 'strange', problem: wrong, stamp };
    return readOpened(file, bytesMax);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return GONE.includes(code) ? { kind: 'absent' } : { kind: 'strange', problem: message, stamp };
  }
}

/** Undefined where nothing is, or nothing can be seen. */
export function statAt(root: string, path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(join(root, path), { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}

export function stampOf({ ino, size, mtimeMs, ctimeMs }: fs.Stats): FileStamp {
  return { ino, size, mtimeMs, ctimeMs };
}

function readOpened(file: string, bytesMax: number): FileReading {
  // Not blocking: between the look and the opening a pipe may have taken the place.
  const descriptor = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(descriptor);
    const stamp = stampOf(stat);
    const wrong = problemOf(stat, bytesMax);
    if (wrong !== null) return { kind: 'strange', problem: wrong, stamp };
    const bytes = Buffer.alloc(stat.size);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read) {
      read = fs.readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    const whole = bytes.subarray(0, length);
    return { kind: 'file', sha256: hash('sha256', whole), bytes: whole, stamp };
  } finally {
    fs.closeSync(descriptor);
  }
}

function problemOf(stat: fs.Stats, bytesMax: number): string | null {
  if (stat.isSymbolicLink()) return 'it is a link, and links are not followed';
  if (stat.isDirectory()) return 'it is a folder';
  if (!stat.isFile()) return 'it is no plain file';
  return stat.size > bytesMax ? `it has more than ${bytesMax} bytes` : null;
}

/** Can be looked into, and is no link. */
export function isOpenFolder(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.X_OK);
    return fs.lstatSync(folder).isDirectory();
  } catch {
    // Whatever keeps it closed, nothing in it can be looked at.
    return false;
  }
}
