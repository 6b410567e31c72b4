import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncPath } from '../platform/durable-files.ts';
import { LedgerFault } from './fault.ts';
import { migrate } from './migrations/migrate.ts';

/** Stands in the header of every ledger, so that no other database is taken for one. */
export const APPLICATION_ID = 0x42544e31;

/**
 * A ledger is born whole: made under another name, then renamed. So a file that is empty or has no schema is a damaged
 * ledger, never the beginning of one, and an empty ledger never takes a lost one's place.
 */
export function createLedgerFile(file: string): void {
  refuseLeftLog(file);
  const draft = `${file}.new`;
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true });
  const db = new DatabaseSync(draft);
  try {
    // A commit writes whole pages, most of them to the end of the log: of 8 KiB it writes fewer.
    db.exec(`PRAGMA page_size = 8192; PRAGMA synchronous = FULL; PRAGMA application_id = ${APPLICATION_ID}`);
    migrate(db);
    // Here and not at the first opening: a process that dies amid this change leaves a journal to play back.
    db.exec('PRAGMA journal_mode = WAL');
  } finally {
    db.close();
  }
  // Thoughts of agents stand in it. What SQLite puts beside it gets the same mode.
  chmodSync(draft, 0o600);
  renameSync(draft, file);
  syncPath(dirname(file));
}

/** SQLite would play the log of the lost ledger into the new one. */
function refuseLeftLog(file: string): void {
  if (!existsSync(`${file}-wal`)) return;
  throw new LedgerFault('open', `${file} is gone, but its log ${file}-wal is there; nothing was changed`, {
    retryable: false,
    code: 'ledger_damaged',
  });
}
