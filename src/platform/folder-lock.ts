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

function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode;
  return code !== undefined && (code & 0xff) === 5;
}
