import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { type Refusal, refuse } from '../domain/refusal.ts';
import { dataFolderAround, sameFile } from '../platform/files/data-folder.ts';
import { syncPath } from '../platform/files/durable-files.ts';
import { crashPoint } from '../platform/process/crash-point.ts';
import { isOutOfSpace, LedgerFault } from './fault.ts';
import { findSchemaDamage } from './schema-damage.ts';

/** Pages copied before other callbacks run. */
const PAGES_PER_STEP = 1_000;

export interface BackupFacts extends Seal {
  readonly tasks: number;
  readonly events: number;
  /** Files beside the ledger. */
  readonly files: number;
}

export interface BackupRequest {
  readonly ledger: string;
  readonly file: string;
  readonly force: boolean;
  /** Appends files beside the ledger to the draft, and counts them. */
  appendFiles?(draft: string): number;
}

/**
 * Copies a ledger that is in use, at one instant, to a file. The file appears complete and checked, or not at all; one
 * cut short by a power failure lacks its trailer.
 */
export async function backUpLedger({
  ledger,
  file,
  force,
  appendFiles,
}: BackupRequest): Promise<BackupFacts | Refusal> {
  const place = refuseDataFolder(file, ledger);
  if (place) return place;
  if (existsSync(file) && !force) return refuse('file_exists', `${file} exists already`);
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
  rmSync(draft, { force: true });
  try {
    // It holds everything that Baton knows: for its owner only.
    closeSync(openSync(draft, 'wx', 0o600));
    await copyAtOneInstant(ledger, draft);
    const counts = checkCopy(draft);
    const ledgerBytes = statSync(draft).size;
    const files = appendFiles?.(draft) ?? 0;
    const sealed = sealBackup(draft, ledgerBytes);
    crashPoint('backup.sealed');
    renameSync(draft, file);
    syncPath(dirname(file));
    return { ...sealed, ...counts, files };
  } catch (error) {
    return refusalOf(error, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** A backup onto a file of a node, live or not, would lose what that node has stored. */
function refuseDataFolder(file: string, ledger: string): Refusal | null {
  const folder = dataFolderAround(file, dirname(ledger));
  if (folder !== null) return refuse('inside_data_folder', `${file} is inside the data folder ${folder}`, '/file');
  const files = readdirSync(dirname(ledger)).map((name) => join(dirname(ledger), name));
  const twin = sameFile(file, files);
  return twin === null ? null : refuse('inside_data_folder', `${file} is the same file as ${twin}`, '/file');
}

/** A refusal for faults of the target's file system; any other error is rethrown. */
function refusalOf(error: unknown, file: string): Refusal {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (isOutOfSpace(error)) return refuse('storage_full', `there is no room for ${file}`);
  if (syscall === undefined) throw error;
  return refuse('unwritable_file', `cannot write ${file}: ${code}`);
}

/**
 * Copies on a separate connection within one read transaction. On the writer's connection a copy could end inside a
 * transaction and show uncommitted rows; without a transaction each commit would restart the copy.
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

/** Turns the copy into one file without a WAL and checks every page. */
function checkCopy(draft: string): Pick<BackupFacts, 'tasks' | 'events'> {
  const copy = new DatabaseSync(draft);
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
    const pages = copy.prepare('PRAGMA integrity_check(1)').get()?.integrity_check;
    const finding = pages === 'ok' ? findSchemaDamage(copy) : pages;
    if (finding !== null) {
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
 * The trailer of a backup file: a mark, the bytes of the database, all bytes before the trailer, and their hash. Between the
 * database and the trailer are the files beside the ledger. SQLite ignores both; a truncated copy or a file of another
 * program lacks the trailer. Backups of older versions have no files, and one length.
 */
const MARK = Buffer.from('BATONBK2', 'latin1');
const OLD_MARK = Buffer.from('BATONBK1', 'latin1');
const LENGTH_BYTES = 8;
const HASH_BYTES = 32;
const TRAILER_BYTES = MARK.length + 2 * LENGTH_BYTES + HASH_BYTES;
const OLD_TRAILER_BYTES = OLD_MARK.length + LENGTH_BYTES + HASH_BYTES;
const CHUNK_BYTES = 1024 * 1024;

export interface Seal {
  /** Size without the trailer. */
  readonly bytes: number;
  readonly sha256: string;
}

/** Appends the trailer to a complete file. */
function sealBackup(file: string, ledgerBytes: number): Seal {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const chunk of chunksOf(file, Number.POSITIVE_INFINITY)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  const digest = hash.digest();
  const lengths = Buffer.alloc(2 * LENGTH_BYTES);
  lengths.writeBigUInt64BE(BigInt(ledgerBytes));
  lengths.writeBigUInt64BE(BigInt(bytes), LENGTH_BYTES);
  appendFileSync(file, Buffer.concat([MARK, lengths, digest]), { flush: true });
  return { bytes, sha256: digest.toString('hex') };
}

interface Trailer extends Seal {
  readonly ledgerBytes: number;
  readonly trailerBytes: number;
}

function readTrailer(file: string, size: number): Trailer | null {
  const last = readAt(file, Math.max(0, size - TRAILER_BYTES), TRAILER_BYTES);
  if (last.length === TRAILER_BYTES && last.subarray(0, MARK.length).equals(MARK)) {
    const ledgerBytes = Number(last.readBigUInt64BE(MARK.length));
    const bytes = Number(last.readBigUInt64BE(MARK.length + LENGTH_BYTES));
    return {
      ledgerBytes,
      bytes,
      sha256: last.toString('hex', TRAILER_BYTES - HASH_BYTES),
      trailerBytes: TRAILER_BYTES,
    };
  }
  const old = last.subarray(Math.max(0, last.length - OLD_TRAILER_BYTES));
  if (old.length < OLD_TRAILER_BYTES || !old.subarray(0, OLD_MARK.length).equals(OLD_MARK)) return null;
  const bytes = Number(old.readBigUInt64BE(OLD_MARK.length));
  const sha256 = old.toString('hex', OLD_TRAILER_BYTES - HASH_BYTES);
  return { ledgerBytes: bytes, bytes, sha256, trailerBytes: OLD_TRAILER_BYTES };
}

/** Receives the two parts of a backup, in chunks. */
export interface BackupParts {
  ledger(chunk: Buffer): void;
  files(chunk: Buffer): void;
}

/** Passes the parts of a backup file on in chunks, and returns whether it was complete. */
export function unsealBackup(file: string, size: number, parts: BackupParts): Seal | Refusal {
  const trailer = readTrailer(file, size);
  if (trailer === null) {
    return startsLikeSqlite(file)
      ? refuse('damaged_backup', `${file} has no trailer: it is a truncated copy, or not made by baton backup`)
      : refuse('foreign_backup', `${file} is not a backup made by Baton`);
  }
  const { bytes, ledgerBytes, trailerBytes } = trailer;
  if (bytes !== size - trailerBytes || ledgerBytes > bytes)
    return refuse('damaged_backup', `${file} should hold ${bytes} bytes and holds ${size - trailerBytes}`);
  const changed = refuse('damaged_backup', `${file} was changed after it was written`);
  // The files are unpacked by what they say, so the whole is checked before its first byte is used.
  if (hashOf(file, bytes) !== trailer.sha256) return changed;
  let at = 0;
  for (const chunk of chunksOf(file, bytes)) {
    const ofLedger = chunk.subarray(0, Math.max(0, ledgerBytes - at));
    if (ofLedger.length > 0) parts.ledger(ofLedger);
    if (ofLedger.length < chunk.length) parts.files(chunk.subarray(ofLedger.length));
    at += chunk.length;
  }
  return { bytes, sha256: trailer.sha256 };
}

function hashOf(file: string, bytes: number): string {
  const hash = createHash('sha256');
  for (const chunk of chunksOf(file, bytes)) hash.update(chunk);
  return hash.digest('hex');
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

/** The first `bytes` of a file; each chunk is valid until the next is read. */
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
