import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT_MS } from '../domain/limits.ts';
import { createLedgerFile } from './create-ledger-file.ts';
import { damaged, refuseDamage } from './damage.ts';
import { isCorrupt, LedgerFault } from './fault.ts';
import { migrate } from './migrations/migrate.ts';
import type { Reader } from './tx.ts';

/** Older versions of SQLite can lose a WAL reset, and with it committed transactions. */
const SQLITE_VERSION_MIN = [3, 51, 3] as const;

/** Opens the ledger for writing, safe against a power cut, or throws the reason why it cannot. */
export function openConnection(file: string, inspect?: (read: Reader) => void): DatabaseSync {
  const db = openFile(file, inspect);
  try {
    setPragmas(db);
    refuseOldSqlite(db);
    migrate(db);
    assertDurable(db);
    return db;
  } catch (error) {
    db.close();
    throw isCorrupt(error) ? damaged(file, error) : error;
  }
}

function openFile(file: string, inspect?: (read: Reader) => void): DatabaseSync {
  try {
    if (existsSync(file)) refuseDamage(file, inspect);
    else createLedgerFile(file);
    return new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  } catch (error) {
    throw error instanceof LedgerFault
      ? error
      : new LedgerFault('open', `cannot open ${file}`, {
          retryable: false,
          code: 'ledger_unusable',
          cause: error,
        });
  }
}

function setPragmas(db: DatabaseSync): void {
  db.exec('PRAGMA synchronous = FULL');
  const mode = pragmaValue(db, 'PRAGMA journal_mode = WAL', 'journal_mode');
  if (mode !== 'wal') {
    throw new LedgerFault('open', `this file system cannot hold the ledger (journal mode ${mode}); use a local disk`, {
      retryable: false,
      code: 'ledger_unusable',
    });
  }
  db.exec('PRAGMA wal_autocheckpoint = 2000; PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY');
}

function refuseOldSqlite(db: DatabaseSync): void {
  const version = String(pragmaValue(db, 'SELECT sqlite_version() AS version', 'version'));
  const parts = version.split('.').map(Number);
  for (const [at, min] of SQLITE_VERSION_MIN.entries()) {
    if ((parts[at] ?? 0) > min) return;
    if ((parts[at] ?? 0) < min) {
      throw new LedgerFault('open', `SQLite ${version} is too old; ${SQLITE_VERSION_MIN.join('.')} is needed`, {
        retryable: false,
      });
    }
  }
}

/** Checks the modes again after a first write: the answer to the pragma alone proves nothing. */
function assertDurable(db: DatabaseSync): void {
  db.exec("INSERT INTO meta (key, value) VALUES ('opened', '1') ON CONFLICT DO UPDATE SET value = value + 1");
  const synchronous = pragmaValue(db, 'PRAGMA synchronous', 'synchronous');
  const mode = pragmaValue(db, 'PRAGMA journal_mode', 'journal_mode');
  const foreignKeys = pragmaValue(db, 'PRAGMA foreign_keys', 'foreign_keys');
  if (synchronous !== 2 || mode !== 'wal' || foreignKeys !== 1) {
    throw new LedgerFault('open', `not durable: synchronous=${synchronous}, journal_mode=${mode}`, {
      retryable: false,
    });
  }
}

function pragmaValue(db: DatabaseSync, sql: string, column: string): unknown {
  return db.prepare(sql).get()?.[column];
}

/** A ledger without a row or a file, for callers that look where nothing is stored yet. */
export function openEmptyConnection(): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  migrate(db);
  return db;
}

/**
 * Opens a ledger for reading on a full disk: in exclusive mode SQLite needs no shared-memory file. The caller must hold
 * the folder's lock.
 */
export function openLookConnection(file: string): DatabaseSync {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = 1');
  return db;
}
