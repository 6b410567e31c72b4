import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

// Where the system has no such flags it has no such files either.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * The text of a file that an agent may have put there: null where there is none, where it is a link or larger than it may
 * be, and where it is a pipe, on which a reader would wait for ever.
 */
export function readPlainFile(path: string | Buffer, bytesMax: number): string | null {
  return readPlainBytes(path, bytesMax)?.toString('utf8') ?? null;
}

/** The same, as bytes. */
export function readPlainBytes(path: string | Buffer, bytesMax: number): Buffer | null {
  let file: number;
  try {
    file = openSync(path, FLAGS);
  } catch {
    // Not a readable plain file: there is nothing to read.
    return null;
  }
  try {
    const stats = fstatSync(file);
    return stats.isFile() && stats.size <= bytesMax ? readFileSync(file) : null;
  } finally {
    closeSync(file);
  }
}
