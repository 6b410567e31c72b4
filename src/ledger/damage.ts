import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { BUSY_TIMEOUT_MS, LEDGER_CHECK_ALWAYS_BYTES_MAX } from '../domain/limits.ts';
import { syncPath } from '../platform/durable-files.ts';
import { APPLICATION_ID } from './create-ledger-file.ts';
import { isCorrupt, LedgerFault } from './fault.ts';
import { isLogBroken } from './is-log-broken.ts';
import { NEWEST_SCHEMA } from './migrations/migrate.ts';
import { Reader } from './tx.ts';

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

/** What was found wrong with a ledger, where the ledger itself can no longer keep it. */
export interface Damage {
  readonly finding: string;
  /** RFC 3339 */
  readonly foundAt: string;
}

/** Beside the ledger. It means this very file: one that took its place is not damaged. */
const markOf = (ledgerFile: string) => `${ledgerFile}.damaged`;

export function markDamage(ledgerFile: string, damage: Damage): void {
  const mark = markOf(ledgerFile);
  const draft = `${mark}.tmp`;
  writeFileSync(draft, `${JSON.stringify({ ...damage, inode: inodeOf(ledgerFile) })}\n`, { mode: 0o600 });
  syncPath(draft);
  renameSync(draft, mark);
  syncPath(dirname(mark));
}

export function readDamage(ledgerFile: string): Damage | null {
  try {
    const mark = JSON.parse(readFileSync(markOf(ledgerFile), 'utf8')) as Damage & { readonly inode: string };
    const { inode, finding, foundAt } = mark;
    return inode === inodeOf(ledgerFile) ? { finding, foundAt } : null;
  } catch {
    // There is none, or none that Baton wrote.
    return null;
  }
}

/** A node may have found what no opening has the time to find: nobody writes to that ledger again. */
export function refuseMarkedLedger(ledgerFile: string): void {
  const damage = readDamage(ledgerFile);
  if (!damage) return;
  const message = `${ledgerFile} was found damaged at ${damage.foundAt} (${damage.finding}); nothing was changed`;
  throw new LedgerFault('open', message, { retryable: false, code: 'ledger_damaged' });
}

function inodeOf(file: string): string | null {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino.toString() ?? null;
}

export interface InspectedLedger {
  /** Every page and every index was looked at; null where nothing is wrong. */
  readonly damage: string | null;
  readonly schema: number;
  readonly newestSchema: number;
  readonly logBytes: number;
}

/**
 * Looks at a ledger as thoroughly as can be, without leaving a trace: who looks is not who has it. `look` is given what
 * can be read of it.
 */
export function inspectLedger(file: string, look: (read: Reader) => void): InspectedLedger {
  const logBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (logBytes > 0 && isLogBroken(`${file}-wal`)) return unreadable('its log is broken in the middle', logBytes);
  try {
    const db = openWithoutTrace(file, logBytes);
    try {
      return inspect(db, logBytes, look);
    } finally {
      db.close();
    }
  } catch (error) {
    const { errcode } = error as { errcode?: number };
    if (errcode === undefined) throw error;
    return unreadable((error as Error).message, logBytes);
  }
}

/** Without a log nobody has it open, and SQLite need not make one to look. */
function openWithoutTrace(file: string, logBytes: number): DatabaseSync {
  if (logBytes > 0 || existsSync(`${file}-shm`))
    return new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
}

function inspect(db: DatabaseSync, logBytes: number, look: (read: Reader) => void): InspectedLedger {
  const read = new Reader(db);
  if (read.one('PRAGMA application_id')?.application_id !== APPLICATION_ID)
    return unreadable('it is no Baton ledger', logBytes);
  const schema = Number(read.one('PRAGMA user_version')?.user_version ?? 0);
  const finding = String(read.one('PRAGMA integrity_check(1)')?.integrity_check);
  if (finding === 'ok' && schema === NEWEST_SCHEMA) look(read);
  return { damage: finding === 'ok' ? null : finding, schema, newestSchema: NEWEST_SCHEMA, logBytes };
}

function unreadable(damage: string, logBytes: number): InspectedLedger {
  return { damage, schema: NEWEST_SCHEMA, newestSchema: NEWEST_SCHEMA, logBytes };
}
