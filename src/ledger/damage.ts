import { existsSync, readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { BUSY_TIMEOUT_MS, LEDGER_CHECK_ALWAYS_BYTES_MAX } from '../domain/limits.ts';
import { replaceFile } from '../platform/files/durable-files.ts';
import { APPLICATION_ID } from './create-ledger-file.ts';
import { isCorrupt, LedgerFault } from './fault.ts';
import { isLogBroken } from './is-log-broken.ts';
import { NEWEST_SCHEMA } from './migrations/migrate.ts';
import { findSchemaDamage } from './schema-damage.ts';
import { Reader } from './tx.ts';

/**
 * Checks before the first write, on a read-only connection: a writable one would checkpoint the WAL into the file when
 * it closes, and so change the evidence. `inspect` may refuse a sound ledger.
 */
export function refuseDamage(file: string, inspect?: (read: Reader) => void): void {
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
      refuseWrongSchema(db, file);
      inspect?.(new Reader(db));
    } finally {
      db.close();
    }
  } catch (error) {
    throw isCorrupt(error) ? damaged(file, error) : error;
  }
}

/** A process that died while it first opened a restored ledger left a journal, which only a writer rolls back. */
function playBack(file: string): void {
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
  } finally {
    db.close();
  }
}

export function damaged(file: string, cause: unknown): LedgerFault {
  const finding = typeof cause === 'string' ? ` (${cause})` : '';
  return new LedgerFault('open', `${file} is damaged; it was left as it is${finding}`, {
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

/** Takes 4 ms a megabyte for a small ledger, indexes included; half of that for a large one whose last process died. */
function refuseBroken(db: DatabaseSync, file: string, check: 'integrity_check' | 'quick_check'): void {
  const finding = db.prepare(`PRAGMA ${check}(1)`).get()?.[check];
  if (finding !== 'ok') throw damaged(file, finding);
}

/** At every opening: a bit in the text of a table passes every check of SQLite. */
function refuseWrongSchema(db: DatabaseSync, file: string): void {
  const finding = findSchemaDamage(db);
  if (finding !== null) throw damaged(file, finding);
}

function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function hasJournal(file: string): boolean {
  return (statSync(`${file}-journal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Damage of a ledger, recorded beside it because nothing may be written into it. */
export interface Damage {
  readonly finding: string;
  /** RFC 3339 */
  readonly foundAt: string;
}

/** The file beside the ledger. It holds the inode, so a ledger that replaced the damaged one is not refused. */
const markOf = (ledgerFile: string) => `${ledgerFile}.damaged`;

export function markDamage(ledgerFile: string, damage: Damage): void {
  const mark = markOf(ledgerFile);
  replaceFile(mark, `${JSON.stringify({ ...damage, inode: inodeOf(ledgerFile) })}\n`);
}

export function readDamage(ledgerFile: string): Damage | null {
  try {
    const mark = JSON.parse(readFileSync(markOf(ledgerFile), 'utf8')) as Damage & { readonly inode: string };
    const { inode, finding, foundAt } = mark;
    return inode === inodeOf(ledgerFile) ? { finding, foundAt } : null;
  } catch {
    // No mark, or not written by Baton.
    return null;
  }
}

/** Refuses a ledger in which the check of a running node has found damage that the quick check at opening misses. */
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
  /** From a check of every page and index; null without damage. */
  readonly damage: string | null;
  readonly schema: number;
  readonly newestSchema: number;
  readonly logBytes: number;
}

/**
 * Checks a ledger completely without changing a file: the caller does not hold the folder. `look` reads it if it is
 * sound and of the newest schema.
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

/** Without a WAL no process has it open; as immutable, SQLite opens it without creating one. */
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
  const damage = finding === 'ok' ? findSchemaDamage(db) : finding;
  if (damage === null && schema === NEWEST_SCHEMA) look(read);
  return { damage, schema, newestSchema: NEWEST_SCHEMA, logBytes };
}

function unreadable(damage: string, logBytes: number): InspectedLedger {
  return { damage, schema: NEWEST_SCHEMA, newestSchema: NEWEST_SCHEMA, logBytes };
}
