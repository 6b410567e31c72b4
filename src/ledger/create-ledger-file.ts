import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncPath } from '../platform/files/durable-files.ts';
import { LedgerFault } from './fault.ts';
import { migrate } from './migrations/migrate.ts';

/** In the header of every ledger, so that no other database passes for one. */
export const APPLICATION_ID = 0x42544e31;

/**
 * Creates a ledger under a temporary name and renames it. A file that is empty or has no schema is therefore a damaged
 * ledger, never a new one, and an empty ledger never replaces a lost one.
 */
export function createLedgerFile(file: string): void {
  refuseLeftLog(file);
  const draft = `${file}.new`;
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true });
  const db = new DatabaseSync(draft);
  try {
    // A commit writes whole pages, most of them consecutive: with 8 KiB it writes fewer of them.
    db.exec(`PRAGMA page_size = 8192; PRAGMA synchronous = FULL; PRAGMA application_id = ${APPLICATION_ID}`);
    migrate(db);
    // Before the rename: a process that dies during this change leaves a journal to roll back.
    db.exec('PRAGMA journal_mode = WAL');
  } finally {
    db.close();
  }
  // It holds thoughts of agents. SQLite gives its WAL the same mode.
  chmodSync(draft, 0o600);
  renameSync(draft, file);
  syncPath(dirname(file));
}

/** SQLite would replay the WAL of the lost ledger into the new one. */
function refuseLeftLog(file: string): void {
  if (!existsSync(`${file}-wal`)) return;
  throw new LedgerFault('open', `${file} is gone, but its log ${file}-wal is there; nothing was changed`, {
    retryable: false,
    code: 'ledger_damaged',
  });
}
