import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, openSync, readSync } from 'node:fs';
import { type Refusal, refuse } from '../domain/refusal.ts';

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
export function sealBackup(file: string): Sealed {
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
