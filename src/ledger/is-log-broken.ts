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
 * Whether a WAL is damaged in its middle. SQLite treats the first frame with a wrong checksum as the torn end and drops
 * all frames after it. But each commit is synced before the next is written, so no later commit can follow a torn end.
 * If one does, SQLite would silently lose answers that have left Baton.
 */
export function isLogBroken(logFile: string): boolean {
  const bytes = readFileSync(logFile);
  if (bytes.length < HEADER_BYTES) return false;
  const log = readHeader(bytes);
  // A header that never reached the disk is all zeros; it is synced before the first frame is written.
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

/** Null if every frame is intact; frames left over from an earlier WAL have another salt. */
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
    // The last frame of a commit holds the size of the database.
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

/** The WAL checksum of the SQLite file format, section 4.2. */
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
