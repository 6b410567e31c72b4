import { DatabaseSync } from 'node:sqlite';

/**
 * Opens a ledger to look at where there is no room to open it as usual: alone, so that SQLite keeps in memory what
 * several connections would share in a file. For a caller who holds the folder.
 */
export function openLookConnection(file: string): DatabaseSync {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = 1');
  return db;
}
