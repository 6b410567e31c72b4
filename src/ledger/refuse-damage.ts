import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT_MS, LEDGER_CHECK_ALWAYS_BYTES_MAX } from '../domain/limits.ts';
import { APPLICATION_ID } from './create-ledger-file.ts';
import { isCorrupt, LedgerFault } from './fault.ts';
import { isLogBroken } from './is-log-broken.ts';

/**
 * Looks before the first write, on a connection that cannot write: one that can would play the log into the file when
 * it is closed, and the bad bytes would not stay as they were found (P-E8).
 */
export function refuseDamage(file: string): void {
  const bytes = statSync(file).size;
  if (bytes === 0) throw damaged(file, 'it is empty');
  try {
    if (hasLog(file) && isLogBroken(`${file}-wal`)) throw damaged(file, 'its log is broken in the middle');
    if (hasJournal(file)) playBack(file);
    const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      refuseStranger(db, file);
      if (bytes <= LEDGER_CHECK_ALWAYS_BYTES_MAX) refuseBroken(db, file, 'integrity_check');
      else if (hasLog(file)) refuseBroken(db, file, 'quick_check');
    } finally {
      db.close();
    }
  } catch (error) {
    throw isCorrupt(error) ? damaged(file, error) : error;
  }
}

/** A restored ledger has no log before its first opening: who died amid that left a journal, and only a writer plays it. */
function playBack(file: string): void {
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
  } finally {
    db.close();
  }
}

export function damaged(file: string, cause: unknown): LedgerFault {
  return new LedgerFault('open', `${file} is damaged; it was left as it is`, {
    retryable: false,
    code: 'ledger_damaged',
    cause,
  });
}

function refuseStranger(db: DatabaseSync, file: string): void {
  if (db.prepare('PRAGMA application_id').get()?.application_id === APPLICATION_ID) return;
  if (db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.tables === 0) throw damaged(file, 'no schema');
  throw new LedgerFault('open', `${file} is no Baton ledger`, { retryable: false, code: 'ledger_unusable' });
}

/** Four milliseconds a megabyte for a small ledger, indexes too; half of it for a large one whose last process died. */
function refuseBroken(db: DatabaseSync, file: string, check: 'integrity_check' | 'quick_check'): void {
  const finding = db.prepare(`PRAGMA ${check}(1)`).get()?.[check];
  if (finding !== 'ok') throw damaged(file, finding);
}

function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function hasJournal(file: string): boolean {
  return (statSync(`${file}-journal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
