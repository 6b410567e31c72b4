import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { BUSY_TIMEOUT_MS } from '../domain/limits.ts';
import { APPLICATION_ID } from './create-ledger-file.ts';
import { isLogBroken } from './is-log-broken.ts';
import { NEWEST_SCHEMA } from './migrations/migrate.ts';
import { Reader } from './tx.ts';

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
