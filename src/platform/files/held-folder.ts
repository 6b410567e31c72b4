import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { withoutEdges } from '../../domain/words/without-end.ts';

const DESCRIPTORS = '/proc/self/fd';
const hasDescriptors = existsSync(DESCRIPTORS);
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
const SLASH = Buffer.from('/');
const NOT_A_FOLDER = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/**
 * A folder that is held open: what is done to a name in it is done in this folder, even if somebody puts a link in its
 * place meanwhile. Where the system cannot name an open folder (not Linux), links are looked for at every step instead.
 */
export class HeldFolder {
  readonly #descriptor: number | null;
  readonly #path: Buffer;

  private constructor(descriptor: number | null, path: Buffer) {
    this.#descriptor = descriptor;
    this.#path = path;
  }

  /** Null where it is no folder, or a link to one. */
  static open(path: string | Buffer): HeldFolder | null {
    return openFolder(Buffer.from(path), (descriptor, held) => new HeldFolder(descriptor, held));
  }

  enter(name: Buffer): HeldFolder | null {
    return HeldFolder.open(this.at(name));
  }

  make(name: Buffer): HeldFolder | null {
    try {
      mkdirSync(this.at(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    return this.enter(name);
  }

  /** The path of a name in this folder, for one call of the system. */
  at(name: Buffer): Buffer {
    const folder = this.#descriptor === null ? this.#path : Buffer.from(`${DESCRIPTORS}/${this.#descriptor}`);
    return Buffer.concat([folder, SLASH, name]);
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
  }
}

function openFolder<T>(path: Buffer, hold: (descriptor: number | null, path: Buffer) => T): T | null {
  try {
    if (hasDescriptors) return hold(openSync(path, FOLDER), path);
    return lstatSync(path).isDirectory() ? hold(null, path) : null;
  } catch (error) {
    if (NOT_A_FOLDER.has((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** The parts of a name that git gave: from the root, between slashes. */
export function partsOf(name: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  for (let end = name.indexOf(SLASH); end !== -1; end = name.indexOf(SLASH, from)) {
    parts.push(name.subarray(from, end));
    from = end + 1;
  }
  parts.push(name.subarray(from));
  return parts;
}

/** The folder that a name from the root lies in, held, and the last part of the name; null where there is none. */
export function holdFolderOf(
  root: string,
  name: Buffer,
  { isMade }: { readonly isMade: boolean },
): { readonly folder: HeldFolder; readonly last: Buffer } | null {
  const parts = partsOf(name);
  const last = parts.pop() as Buffer;
  let folder = HeldFolder.open(root);
  for (const part of parts) {
    const inner: HeldFolder | null = (isMade ? folder?.make(part) : folder?.enter(part)) ?? null;
    folder?.close();
    folder = inner;
  }
  return folder && { folder, last };
}

/** Holds the folder that a name lies in, while `work` is done; null where there is no such folder. */
export function inFolderOf<T>(
  root: string,
  name: Buffer,
  work: { readonly isMade: boolean; do(folder: HeldFolder, last: Buffer): T },
): T | null {
  const held = holdFolderOf(root, name, work);
  if (!held) return null;
  try {
    return work.do(held.folder, held.last);
  } finally {
    held.folder.close();
  }
}

/** Holds the folder of an absolute path, entered without following a link; null where a link or a file is on the way. */
export function inFolderOfPath<T>(path: string, work: (folder: HeldFolder, last: Buffer) => T): T | null {
  const name = Buffer.from(withoutEdges(path, '/'));
  return inFolderOf('/', name, { isMade: false, do: work });
}
