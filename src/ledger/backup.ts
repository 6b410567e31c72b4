import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { type Refusal, refuse } from '../domain/refusal.ts';
import { crashPoint } from '../platform/crash-point.ts';
import { syncPath } from '../platform/durable-files.ts';
import { type Sealed, sealBackup } from './backup-trailer.ts';
import { isOutOfSpace, LedgerFault } from './fault.ts';

/** Pages copied before others have their turn. */
const PAGES_PER_STEP = 1_000;

export interface BackupFacts extends Sealed {
  readonly tasks: number;
  readonly events: number;
}

export interface BackupRequest {
  readonly ledger: string;
  readonly file: string;
  readonly force: boolean;
}

/**
 * Copies a ledger that is in use, as it is at one instant, to a file of its own. The file is there whole and checked,
 * or not at all; what a power cut leaves of it is known by its missing end.
 */
export async function backUpLedger({ ledger, file, force }: BackupRequest): Promise<BackupFacts | Refusal> {
  if (existsSync(file) && !force) return refuse('file_exists', `${file} is there already`);
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
  rmSync(draft, { force: true });
  try {
    // Everything Baton knows stands in it: for its owner only.
    closeSync(openSync(draft, 'wx', 0o600));
    await copyAtOneInstant(ledger, draft);
    const counts = checkCopy(draft);
    const sealed = sealBackup(draft);
    crashPoint('backup.sealed');
    renameSync(draft, file);
    syncPath(dirname(file));
    return { ...sealed, ...counts };
  } catch (error) {
    return refusalOf(error, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** What the place of the file brings about; anything else is thrown on. */
function refusalOf(error: unknown, file: string): Refusal {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (isOutOfSpace(error)) return refuse('storage_full', `there is no room for ${file}`);
  if (syscall === undefined) throw error;
  return refuse('unwritable_file', `cannot write ${file}: ${code}`);
}

/**
 * On a connection of its own that holds one read transaction: on the writer's, a copy could end inside a transaction
 * and show what was never committed; without a transaction, each commit would start the copy over.
 */
async function copyAtOneInstant(ledger: string, draft: string): Promise<void> {
  const source = new DatabaseSync(ledger, { readOnly: true });
  try {
    source.exec('BEGIN; SELECT count(*) FROM meta');
    await backup(source, draft, { rate: PAGES_PER_STEP });
  } finally {
    source.close();
  }
}

/** As one file without a log beside it, every page looked at. */
function checkCopy(draft: string): Pick<BackupFacts, 'tasks' | 'events'> {
  const copy = new DatabaseSync(draft);
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
    const finding = copy.prepare('PRAGMA integrity_check(1)').get()?.integrity_check;
    if (finding !== 'ok') {
      throw new LedgerFault('backup', `the ledger is damaged (${finding}); no backup was made`, {
        retryable: false,
        code: 'ledger_damaged',
      });
    }
    const count = (table: string) => Number(copy.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows);
    return { tasks: count('tasks'), events: count('events') };
  } finally {
    copy.close();
  }
}
