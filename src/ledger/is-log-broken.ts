import { readFileSync } from 'node:fs';

const HEADER_BYTES = 32;
const HEADER_SUMMED_BYTES = 24;
const FRAME_HEADER_BYTES = 24;
const FRAME_SUMMED_BYTES = 8;
const MAGIC_LITTLE_ENDIAN = 0x377f0682;

type Sums = readonly [number, number];

interface Log {
  readonly bytes: Buffer;
  readonly isLittleEndian: boolean;
  readonly frameBytes: number;
  readonly salt: bigint;
}

/**
 * Is a log damaged in its middle? SQLite takes the first frame with a wrong checksum for the torn end of the log and
 * drops all that comes after. But each commit is synced before the next is written: behind a torn end there is no frame
 * of a later commit. Where there is one, answers that left Baton would be lost in silence.
 */
export function isLogBroken(logFile: string): boolean {
  const bytes = readFileSync(logFile);
  if (bytes.length < HEADER_BYTES) return false;
  const log = readHeader(bytes);
  // A header that never got to the disk is zero; a header is synced before the first frame is written.
  if (log === null) return bytes.subarray(0, HEADER_BYTES).some((byte) => byte !== 0);
  const bad = firstBadFrame(log);
  return bad !== null && hasLaterCommit(log, bad);
}

function readHeader(bytes: Buffer): Log | null {
  const isLittleEndian = bytes.readUInt32BE(0) === MAGIC_LITTLE_ENDIAN;
  if (!isLittleEndian && bytes.readUInt32BE(0) !== MAGIC_LITTLE_ENDIAN + 1) return null;
  const frameBytes = FRAME_HEADER_BYTES + bytes.readUInt32BE(8);
  const log = { bytes, isLittleEndian, frameBytes, salt: bytes.readBigUInt64BE(16) };
  const sums = sumOver(log, [0, 0], { from: 0, to: HEADER_SUMMED_BYTES });
  return isStored(bytes, HEADER_SUMMED_BYTES, sums) ? log : null;
}

/** Null where every frame of this log is right; frames of the log before it carry another salt. */
function firstBadFrame(log: Log): number | null {
  const { bytes, frameBytes } = log;
  let sums: Sums = [bytes.readUInt32BE(24), bytes.readUInt32BE(28)];
  for (let at = HEADER_BYTES; at + frameBytes <= bytes.length; at += frameBytes) {
    if (!isOfThisLog(log, at)) return at;
    sums = sumOver(log, sums, { from: at, to: at + FRAME_SUMMED_BYTES });
    sums = sumOver(log, sums, { from: at + FRAME_HEADER_BYTES, to: at + frameBytes });
    if (!isStored(bytes, at + 16, sums)) return at;
  }
  return null;
}

function hasLaterCommit(log: Log, bad: number): boolean {
  let isCommitted = false;
  for (let at = bad; at + FRAME_HEADER_BYTES <= log.bytes.length; at += log.frameBytes) {
    if (!isOfThisLog(log, at)) continue;
    if (isCommitted) return true;
    // The frame that ends a commit carries the size of the database.
    isCommitted = log.bytes.readUInt32BE(at + 4) > 0;
  }
  return false;
}

function isOfThisLog({ bytes, salt }: Log, at: number): boolean {
  return bytes.readBigUInt64BE(at + 8) === salt;
}

function isStored(bytes: Buffer, at: number, [first, second]: Sums): boolean {
  return bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second;
}

/** The checksum of the SQLite file format, section 4.2. */
function sumOver({ bytes, isLittleEndian }: Pick<Log, 'bytes' | 'isLittleEndian'>, before: Sums, range: Range): Sums {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let [first, second] = before;
  for (let at = range.from; at < range.to; at += 8) {
    first = (first + view.getUint32(at, isLittleEndian) + second) >>> 0;
    second = (second + view.getUint32(at + 4, isLittleEndian) + first) >>> 0;
  }
  return [first, second];
}

interface Range {
  readonly from: number;
  readonly to: number;
}
