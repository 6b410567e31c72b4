import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, type Stats } from 'node:fs';

/** A path without following anything; Node has no name for it. Linux, all architectures that Node knows. */
const O_PATH = 0o10000000;

/** A place of the file system as it was when it was judged: later a name may lead elsewhere, the numbers may not. */
export interface PinnedPath {
  readonly kind: 'file' | 'folder';
  readonly device: bigint;
  readonly inode: bigint;
}

export type Pinning =
  | { readonly kind: 'pinned'; readonly place: PinnedPath }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: string };

/** Looks at what is opened and not at names, so that no link swapped in between is overlooked. */
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
      return { kind: 'refused', reason: `${path} leads elsewhere through a link` };
    }
    if (!stats.isFile() && !stats.isDirectory()) {
      return { kind: 'refused', reason: `${path} is neither a file nor a folder` };
    }
    const kind = stats.isFile() ? 'file' : 'folder';
    return { kind: 'pinned', place: { kind, device: stats.dev, inode: stats.ino } };
  } finally {
    closeSync(fd);
  }
}

/** Whether a process sees that very place at a path. */
export function seesPlace(pid: number, at: string, place: PinnedPath): boolean {
  try {
    const { dev, ino } = lstatSync(`/proc/${pid}/root${at}`, { bigint: true });
    return dev === place.device && ino === place.inode;
  } catch {
    // It does not see it at all.
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
