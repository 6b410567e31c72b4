/** Held until released or until the process ends, in whatever way. */
export interface FolderLock {
  /** May be called more than once. */
  release(): void;
}

/**
 * Takes the lock of a data folder; null while another process holds it. Node has no flock, so the lock is an exclusive
 * SQLite transaction: it takes a millisecond and ends with the process.
 */
export function tryFolderLock(lockFile: string): FolderLock | null {
  try {
    return tryLock(lockFile);
  } catch (error) {
    if (!isNoLock(error)) throw error;
  }
  // The file is always empty, and emptying it keeps its locks: another content is no lock of anybody.
  process.getBuiltinModule('node:fs').truncateSync(lockFile, 0);
  return tryLock(lockFile);
}

/** Whether a process holds the lock, for a caller that changes nothing; `no-lock` is a file of another program. */
export function inspectFolderLock(lockFile: string): 'held' | 'free' | 'no-lock' {
  try {
    const lock = tryLock(lockFile);
    lock?.release();
    return lock ? 'free' : 'held';
  } catch (error) {
    if (isNoLock(error)) return 'no-lock';
    throw error;
  }
}

/** A process that holds the lock. */
export interface LockHolder {
  readonly pid: number;
  /** Its words, without the path of Node. */
  readonly command: string;
}

/** The process that holds the lock, where the system tells: on Linux. Null if none does, or if it cannot be seen. */
export function findLockHolder(lockFile: string): LockHolder | null {
  try {
    const { readFileSync, statSync } = process.getBuiltinModule('node:fs');
    const inode = `:${statSync(lockFile).ino}`;
    // Such as: 1: POSIX  ADVISORY  WRITE 4711 fe:01:12345 1073741824 1073742335
    const locks = readFileSync('/proc/locks', 'latin1')
      .split('\n')
      .map((row) => row.trim().split(/\s+/));
    const pid = Number(locks.find((words) => words[3] === 'WRITE' && words[5]?.endsWith(inode))?.[4] ?? 0);
    if (pid <= 0) return null;
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .split('\0')
      .filter((word) => word !== '');
    return { pid, command: words.slice(1).join(' ').slice(0, COMMAND_CHARACTERS_MAX) };
  } catch {
    // Another system, or the process has just ended.
    return null;
  }
}

const COMMAND_CHARACTERS_MAX = 120;

function tryLock(lockFile: string): FolderLock | null {
  // Loaded on demand: a command that reaches a node takes no lock.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const db = new DatabaseSync(lockFile, { timeout: 0 });
  try {
    // Without a journal file, which a full disk would refuse, even to commands that only read.
    db.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return {
    release: () => {
      if (db.isOpen) db.close();
    },
  };
}

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

function isBusy(error: unknown): boolean {
  return codeOf(error) === SQLITE_BUSY;
}

function isNoLock(error: unknown): boolean {
  return codeOf(error) === SQLITE_NOTADB || codeOf(error) === SQLITE_CORRUPT;
}

function codeOf(error: unknown): number | null {
  const code = (error as { errcode?: number }).errcode;
  return code === undefined ? null : code & 0xff;
}
