import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import { sameFile } from '../platform/files/data-folder.ts';
import { syncPath } from '../platform/files/durable-files.ts';
import { crashPoint } from '../platform/process/crash-point.ts';
import { unsealBackup } from './backup.ts';
import { APPLICATION_ID } from './create-ledger-file.ts';
import { refuseDamage } from './damage.ts';
import { isCorrupt, LedgerFault } from './fault.ts';
import { NEWEST_SCHEMA } from './migrations/migrate.ts';
import { findSchemaDamage } from './schema-damage.ts';

export interface RestoreRequest {
  readonly file: string;
  readonly ledger: string;
  /** Suffix of the name under which the present ledger is kept. */
  readonly stamp: string;
  /** Receives the files beside the ledger, once the backup has proved to be whole. */
  takeFiles?(chunk: Buffer): void;
}

export interface RestoredLedger {
  /** New path of the replaced ledger; null if there was none. */
  readonly keptAs: string | null;
  readonly tasks: number;
  readonly events: number;
}

/** The folder beside the ledger that receives the tree of the replaced ledger. */
export function treeKeptAs(stamp: string): string {
  return `tree.before-restore-${stamp}`;
}

/**
 * Key in `meta`: the tree still shows the replaced ledger. Its value names the folder that the next node moves it to.
 */
export const TREE_IS_OLD = 'tree_is_old';

/**
 * Replaces the ledger by a backup; the caller must hold the folder's lock. Nothing changes before the copy is checked;
 * after that, either the old or the new ledger exists at every instant.
 */
export function restoreLedger({ file, ledger, stamp, takeFiles = () => {} }: RestoreRequest): RestoredLedger | Refusal {
  const draft = `${ledger}.restoring`;
  const own = sameFile(file, [ledger, `${ledger}-wal`, draft]);
  if (own !== null) return refuse('inside_data_folder', `${file} is the ledger's own file ${own}`, '/file');
  try {
    const wrong = takeOut(file, draft, takeFiles);
    if (wrong) return wrong;
    const counts = checkDraft(draft, { file, stamp });
    if (isRefusal(counts)) return counts;
    return { keptAs: replaceLedger({ ledger, draft, stamp }), ...counts };
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Replaces the ledger by a checked draft. Returns the new path of the old ledger; null if there was none. */
export function replaceLedger({
  ledger,
  draft,
  stamp,
}: Omit<RestoreRequest, 'file'> & { draft: string }): string | null {
  syncPath(draft);
  const keptAs = keepAside(ledger, stamp);
  crashPoint('restore.kept');
  renameSync(draft, ledger);
  syncPath(dirname(ledger));
  return keptAs;
}

function takeOut(file: string, draft: string, files: (chunk: Buffer) => void): Refusal | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) return refuse('unreadable_file', `there is no file ${file}`);
  const into = openSync(draft, 'w', 0o600);
  try {
    const sealed = unsealBackup(file, stat.size, { ledger: (chunk) => writeSync(into, chunk), files });
    return isRefusal(sealed) ? sealed : null;
  } finally {
    closeSync(into);
  }
}

function checkDraft(
  draft: string,
  { file, stamp }: Pick<RestoreRequest, 'file' | 'stamp'>,
): Pick<RestoredLedger, 'tasks' | 'events'> | Refusal {
  const db = new DatabaseSync(draft);
  try {
    const value = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0];
    if (value('PRAGMA application_id') !== APPLICATION_ID)
      return refuse('foreign_backup', `${file} holds another database than a ledger`);
    const schema = Number(value('PRAGMA user_version'));
    if (schema > NEWEST_SCHEMA)
      return refuse('newer_schema', `${file} has schema ${schema}, this Baton knows ${NEWEST_SCHEMA}`);
    const pages = value('PRAGMA integrity_check(1)');
    const finding = pages === 'ok' ? findSchemaDamage(db) : pages;
    if (finding !== null) return refuse('damaged_backup', `${file} is damaged: ${finding}`);
    db.prepare('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(
      TREE_IS_OLD,
      treeKeptAs(stamp),
    );
    return { tasks: Number(value('SELECT count(*) FROM tasks')), events: Number(value('SELECT count(*) FROM events')) };
  } catch (error) {
    if (isCorrupt(error)) return refuse('damaged_backup', `${file} is damaged: ${(error as Error).message}`);
    throw error;
  } finally {
    db.close();
  }
}

/** Links the old ledger to its new name, so that the old name stays valid until the rename; its WAL moves along. */
function keepAside(ledger: string, stamp: string): string | null {
  const keptAs = `${ledger}.before-restore-${stamp}`;
  emptyLog(ledger);
  const isThere = existsSync(ledger);
  if (isThere) keepFile(ledger, keptAs);
  for (const suffix of ['-wal', '-shm']) {
    // SQLite would replay the WAL of the old ledger into the new one.
    if (existsSync(`${ledger}${suffix}`)) renameSync(`${ledger}${suffix}`, `${keptAs}${suffix}`);
  }
  syncPath(dirname(ledger));
  return isThere ? keptAs : null;
}

function keepFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // This file system has no hard links.
    copyFileSync(from, to);
    syncPath(to);
  }
}

/** Checkpoints a sound ledger into one file; a damaged one stays unchanged, with its WAL. */
function emptyLog(ledger: string): void {
  if (!existsSync(ledger) || !existsSync(`${ledger}-wal`)) return;
  try {
    refuseDamage(ledger);
  } catch (error) {
    if (error instanceof LedgerFault) return;
    throw error;
  }
  const db = new DatabaseSync(ledger);
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}
