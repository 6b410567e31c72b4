import { hash } from 'node:crypto';
import * as fs from 'node:fs';

/** Distinguishes states of a file without reading it. */
export interface FileStamp {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

export type FileReading =
  | { readonly kind: 'absent' }
  /** Not a plain file, too large, or not readable. */
  | { readonly kind: 'strange'; readonly problem: string; readonly stamp: FileStamp | null }
  | { readonly kind: 'file'; readonly sha256: string; readonly bytes: Buffer; readonly stamp: FileStamp };

export interface TreeFileAt {
  readonly root: string;
  readonly path: string;
  readonly bytesMax: number;
}

const GONE = ['ENOENT', 'ENOTDIR'];
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** Reads a file of the tree. It follows no link, waits for no pipe, and reads no more than the bound. */
export function readTreeFile({ root, path, bytesMax }: TreeFileAt): FileReading {
  const file = `${root}/${path}`;
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

/** Undefined if there is no file, or its folder cannot be read. */
export function statAt(root: string, path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}

export function stampOf({ ino, size, mtimeMs, ctimeMs }: fs.Stats): FileStamp {
  return { ino, size, mtimeMs, ctimeMs };
}

function readOpened(file: string, bytesMax: number): FileReading {
  // Not blocking: the file may have become a pipe since lstat.
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
  if (!stat.isFile()) return 'it is not a plain file';
  return stat.size > bytesMax ? `it has more than ${bytesMax} bytes` : null;
}

/** True for a readable folder, not for a link. */
export function isOpenFolder(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.X_OK);
    return fs.lstatSync(folder).isDirectory();
  } catch {
    // For any reason: its files cannot be read.
    return false;
  }
}
