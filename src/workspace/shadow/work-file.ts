import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
} from 'node:fs';
import { WORKSPACE_FILE_BYTES_MAX } from '../../domain/limits.ts';
import { HeldFolder, inFolderOf, partsOf } from '../../platform/files/held-folder.ts';
import { findRepository } from '../find-repository.ts';
import { readHead } from '../read-head.ts';

/**
 * Describes a name of the work tree. A pipe or a device has no bytes to record, a file behind a link belongs elsewhere, and a
 * file that is too large would take minutes: all of them count as gone.
 */
export interface WorkFile {
  readonly name: Buffer;
  readonly kind: 'file' | 'link' | 'folder' | 'gone' | 'unreadable';
  readonly bytes: number;
  /** Permission bits; 0 for anything but a file. */
  readonly rights: number;
}

const RIGHTS = 0o7777;
const OWNER_EXECUTES = 0o100;
const NO_LINK_NO_WAIT = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Inspects names of a root, in the order given. Fastest where names of one folder follow each other, and where it need not
 * find out which files are unreadable.
 */
export function* inspectFiles(
  root: string,
  names: Iterable<Buffer>,
  { findsUnreadable }: { readonly findsUnreadable: boolean },
): Generator<WorkFile> {
  let path: string | null = null;
  let folder: HeldFolder | null = null;
  try {
    for (const name of names) {
      const slash = name.lastIndexOf(0x2f);
      const folderPath = name.toString('latin1', 0, Math.max(slash, 0));
      if (folderPath !== path) {
        folder?.close();
        folder = holdFolder(root, slash === -1 ? null : name.subarray(0, slash));
        path = folderPath;
      }
      const file = folder === null ? gone(name) : inspect(folder.at(name.subarray(slash + 1)), name);
      const isClosed = findsUnreadable && file.kind === 'file' && !isReadable(folder?.at(name.subarray(slash + 1)));
      yield isClosed ? { ...file, kind: 'unreadable' } : file;
    }
  } finally {
    folder?.close();
  }
}

function holdFolder(root: string, name: Buffer | null): HeldFolder | null {
  let folder = HeldFolder.open(root);
  for (const part of name === null ? [] : partsOf(name)) {
    const inner: HeldFolder | null = folder?.enter(part) ?? null;
    folder?.close();
    folder = inner;
  }
  return folder;
}

function gone(name: Buffer): WorkFile {
  return { name, kind: 'gone', bytes: 0, rights: 0 };
}

function inspect(path: Buffer, name: Buffer): WorkFile {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || stats.size > WORKSPACE_FILE_BYTES_MAX) return gone(name);
  if (stats.isSymbolicLink()) return { name, kind: 'link', bytes: stats.size, rights: 0 };
  if (stats.isDirectory()) return { name, kind: 'folder', bytes: 0, rights: 0 };
  if (!stats.isFile()) return gone(name);
  return { name, kind: 'file', bytes: stats.size, rights: stats.mode & RIGHTS };
}

function isReadable(path: Buffer | undefined): boolean {
  try {
    accessSync(path ?? '', constants.R_OK);
    return true;
  } catch {
    // The reason does not matter: the file is reported as unreadable.
    return false;
  }
}

/** The mode as git writes it and the bytes of a file or link; null where it is neither any more. */
export function readWorkFile(root: string, name: Buffer): { readonly mode: string; readonly bytes: Buffer } | null {
  return inFolderOf(root, name, {
    isMade: false,
    do: (folder, last) => {
      const path = folder.at(last);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats?.isSymbolicLink()) return { mode: '120000', bytes: readlinkSync(path, { encoding: 'buffer' }) };
      return stats?.isFile() ? readOpened(openSync(path, NO_LINK_NO_WAIT)) : null;
    },
  });
}

function readOpened(file: number): { readonly mode: string; readonly bytes: Buffer } | null {
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return null;
    const bytes = Buffer.alloc(stats.size);
    let read = 0;
    for (let more = -1; more !== 0 && read < bytes.length; read += more) {
      more = readSync(file, bytes, read, bytes.length - read, read);
    }
    return { mode: stats.mode & OWNER_EXECUTES ? '100755' : '100644', bytes: bytes.subarray(0, read) };
  } finally {
    closeSync(file);
  }
}

/** The commit of the nested repository that replaced a file; null where the folder is none. */
export async function nestedCommit(root: string, name: Buffer): Promise<string | null> {
  const folder = `${root}/${name.toString('utf8')}`;
  const repository = existsSync(`${folder}/.git`) ? findRepository(folder) : null;
  return repository?.root.endsWith(`/${name.toString('utf8')}`) ? await readHead(repository) : null;
}
