import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, existsSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { type Refusal, refuse } from '../domain/refusal.ts';
import { crashPoint } from '../platform/crash-point.ts';
import { syncPath } from '../platform/durable-files.ts';
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

/**
 * The end of a backup file: a mark, how many bytes stand before it, and their hash. SQLite does not look at it; a copy
 * that was cut, or that something else wrote, does not have it.
 */
const MARK = Buffer.from('BATONBK1', 'latin1');
const LENGTH_BYTES = 8;
const HASH_BYTES = 32;
const TRAILER_BYTES = MARK.length + LENGTH_BYTES + HASH_BYTES;
const CHUNK_BYTES = 1024 * 1024;

export interface Sealed {
  /** Of the database alone. */
  readonly bytes: number;
  readonly sha256: string;
}

/** Seals a database file that is complete. */
function sealBackup(file: string): Sealed {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const chunk of chunksOf(file, Number.POSITIVE_INFINITY)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  const digest = hash.digest();
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeBigUInt64BE(BigInt(bytes));
  appendFileSync(file, Buffer.concat([MARK, length, digest]), { flush: true });
  return { bytes, sha256: digest.toString('hex') };
}

/** Hands on the database inside a backup file, chunk by chunk, and says at its end whether it was whole. */
export function unsealBackup(file: string, size: number, take: (chunk: Buffer) => void): Sealed | Refusal {
  const trailer = readAt(file, Math.max(0, size - TRAILER_BYTES), TRAILER_BYTES);
  if (trailer.length < TRAILER_BYTES || !trailer.subarray(0, MARK.length).equals(MARK)) {
    return startsLikeSqlite(file)
      ? refuse('damaged_backup', `${file} has no end: it is a torn copy, or not made by baton backup`)
      : refuse('foreign_backup', `${file} is no backup of Baton`);
  }
  const bytes = Number(trailer.readBigUInt64BE(MARK.length));
  if (bytes !== size - TRAILER_BYTES)
    return refuse('damaged_backup', `${file} should hold ${bytes} bytes and holds ${size - TRAILER_BYTES}`);
  const hash = createHash('sha256');
  for (const chunk of chunksOf(file, bytes)) {
    hash.update(chunk);
    take(chunk);
  }
  const sha256 = hash.digest('hex');
  if (sha256 !== trailer.toString('hex', MARK.length + LENGTH_BYTES))
    return refuse('damaged_backup', `${file} was changed after it was written`);
  return { bytes, sha256 };
}

function startsLikeSqlite(file: string): boolean {
  return readAt(file, 0, 15).toString('latin1') === 'SQLite format 3';
}

function readAt(file: string, position: number, length: number): Buffer {
  const from = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(from, buffer, 0, length, position));
  } finally {
    closeSync(from);
  }
}

/** The first `bytes` of a file; each chunk is valid until the next. */
function* chunksOf(file: string, bytes: number): Generator<Buffer> {
  const from = openSync(file, 'r');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    for (let left = bytes; left > 0; ) {
      const read = readSync(from, buffer, 0, Math.min(buffer.length, left), null);
      if (read === 0) return;
      left -= read;
      yield buffer.subarray(0, read);
    }
  } finally {
    closeSync(from);
  }
}
