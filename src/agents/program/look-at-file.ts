import { closeSync, constants, openSync, readlinkSync, readSync, realpathSync, statSync } from 'node:fs';
import { KIB } from '../../domain/limits.ts';

/** The part of a file that is searched for its interpreter and its imports. */
const PROGRAM_HEAD_BYTES_MAX = 256 * KIB;

// Reads about files that may be absent or unreadable: both count as "nothing there".

export function realPath(path: string): string | null {
  return orNull(() => realpathSync(path));
}

export function linkTarget(path: string): string | null {
  return orNull(() => readlinkSync(path));
}

export function isFile(path: string): boolean {
  return orNull(() => statSync(path).isFile()) ?? false;
}

export function isFolder(path: string): boolean {
  return orNull(() => statSync(path).isDirectory()) ?? false;
}

/** The beginning of a file as text; null if it is no text. */
export function readFileHead(path: string, bytesMax = PROGRAM_HEAD_BYTES_MAX): string | null {
  return orNull(() => {
    const stats = statSync(path);
    if (!stats.isFile()) return null;
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const bytes = Buffer.allocUnsafe(Math.min(stats.size, bytesMax));
      const length = readSync(file, bytes, 0, bytes.length, 0);
      const head = bytes.subarray(0, length);
      return head.includes(0) ? null : head.toString('utf8');
    } finally {
      closeSync(file);
    }
  });
}

function orNull<Value>(look: () => Value): Value | null {
  try {
    return look();
  } catch {
    // Absent, unreadable, or a loop of links.
    return null;
  }
}
