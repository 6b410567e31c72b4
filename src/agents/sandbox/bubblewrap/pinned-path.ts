import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, type Stats } from 'node:fs';

/** Opens a path without access to its content. Not in Node's constants; the same on every Linux that Node runs on. */
const O_PATH = 0o10000000;

/** A file or folder by device and inode: unlike its name, they cannot lead elsewhere later. */
export interface PinnedPath {
  readonly kind: 'file' | 'folder';
  readonly device: bigint;
  readonly inode: bigint;
}

export type Pinning =
  | { readonly kind: 'pinned'; readonly pinned: PinnedPath }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: string };

/** Judges the opened file rather than its name, so that a link swapped in meanwhile is noticed. */
export function pinPath(path: string): Pinning {
  let fd: number;
  try {
    fd = openSync(path, O_PATH | constants.O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? { kind: 'absent' } : { kind: 'refused', reason: `${path} cannot be opened (${code})` };
  }
  try {
    const stats = fstatSync(fd, { bigint: true });
    if (readlinkSync(`/proc/self/fd/${fd}`) !== path || stats.isSymbolicLink()) {
      return { kind: 'refused', reason: `${path} is or contains a symbolic link` };
    }
    if (!stats.isFile() && !stats.isDirectory()) {
      return { kind: 'refused', reason: `${path} is neither a file nor a folder` };
    }
    const kind = stats.isFile() ? 'file' : 'folder';
    return { kind: 'pinned', pinned: { kind, device: stats.dev, inode: stats.ino } };
  } finally {
    closeSync(fd);
  }
}

/** Whether a process sees this very file or folder at a path. */
export function seesPinned(pid: number, at: string, pinned: PinnedPath): boolean {
  try {
    const { dev, ino } = lstatSync(`/proc/${pid}/root${at}`, { bigint: true });
    return dev === pinned.device && ino === pinned.inode;
  } catch {
    // It sees nothing there.
    return false;
  }
}

/** The entry at a path itself, links not followed; null where there is none that this user can see. */
export function statsOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    // Absent, below something that is no folder, or not accessible.
    return null;
  }
}
