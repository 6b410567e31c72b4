/** Held as long as the process lives; the system frees it however the process ends. */
export interface FolderLock {
  /** Once or again. */
  release(): void;
}

/**
 * Node has no flock: an exclusive transaction on a file of its own is one, is had in a millisecond, and is gone with
 * the process. Null while another process holds it.
 */
export function tryFolderLock(lockFile: string): FolderLock | null {
  // Not imported: a command that reaches a node takes no lock.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const db = new DatabaseSync(lockFile, { timeout: 0 });
  try {
    // Without a journal beside it, or a full disk would keep even those out who only look.
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
