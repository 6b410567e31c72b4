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
    if (!isForeign(error)) throw error;
  }
  // The file is always empty, and emptying it keeps its locks: another content is no lock of anybody.
  process.getBuiltinModule('node:fs').truncateSync(lockFile, 0);
  return tryLock(lockFile);
}

/** Whether a process holds the lock, for a caller that changes nothing; `foreign` is a file of another program. */
export function inspectFolderLock(lockFile: string): 'held' | 'free' | 'foreign' {
  try {
    const lock = tryLock(lockFile);
    lock?.release();
    return lock ? 'free' : 'held';
  } catch (error) {
    if (isForeign(error)) return 'foreign';
    throw error;
  }
}

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

function isForeign(error: unknown): boolean {
  return codeOf(error) === SQLITE_NOTADB || codeOf(error) === SQLITE_CORRUPT;
}

function codeOf(error: unknown): number | null {
  const code = (error as { errcode?: number }).errcode;
  return code === undefined ? null : code & 0xff;
}
