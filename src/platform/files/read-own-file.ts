import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** A file that is open, of the user who runs this process. */
export interface OwnFile {
  /** Others may read or change it. */
  readonly isShared: boolean;
  readonly size: number;
  text(): string;
}

interface OwnFileQuestion<Read> {
  /** The error about a file that is a link, or of another user. */
  readonly fault: (message: string) => Error;
  readonly read: (file: OwnFile) => Read;
}

/** Reads a file with a secret: null if there is none. What is judged is what is read, also where somebody swaps it meanwhile. */
export function readOwnFile<Read>(path: string, { fault, read }: OwnFileQuestion<Read>): Read | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP') throw fault(`${path} is a link`);
    throw error;
  }
  try {
    const { uid, mode, size } = fstatSync(file);
    if (uid !== (process.getuid?.() ?? uid)) throw fault(`${path} belongs to another user`);
    const isShared = process.platform !== 'win32' && (mode & 0o077) !== 0;
    return read({ isShared, size, text: () => readFileSync(file, 'utf8') });
  } finally {
    closeSync(file);
  }
}
