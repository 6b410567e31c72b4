import { createHash } from 'node:crypto';

/** An entry of an index. */
export interface IndexEntry {
  /** Where it begins. */
  readonly at: number;
  readonly name: Buffer;
}

const HEADER_BYTES = 12;
const STAT_BYTES = 40;
const TIMES_BYTES = 16;
const EXTENDED_FLAG = 0x4000;
const PADDED_TO_BYTES = 8;

/**
 * Entries of a git index (version 2 or 3) whose file changed in the second `sinceSeconds` or later. Git keeps whole
 * seconds: a second change of such a file within that second, with its size and time of modification put back, would
 * look like none.
 */
export function freshEntries(index: Buffer, sinceSeconds: number, objectBytes: number): IndexEntry[] {
  if (index.toString('latin1', 0, 4) !== 'DIRC' || index.readUInt32BE(4) > 3) throw new Error('not an index of ours');
  const fresh: IndexEntry[] = [];
  let at = HEADER_BYTES;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + STAT_BYTES + objectBytes;
    const nameAt = flagsAt + (index.readUInt16BE(flagsAt) & EXTENDED_FLAG ? 4 : 2);
    const nameEnd = index.indexOf(0, nameAt);
    if (index.readUInt32BE(at) >= sinceSeconds) fresh.push({ at, name: index.subarray(nameAt, nameEnd) });
    const bytes = nameEnd - at;
    at += bytes + PADDED_TO_BYTES - (bytes % PADDED_TO_BYTES);
  }
  return fresh;
}

/** The same index without the times of these entries: their files are read again, whatever their times say. */
export function withoutTimes(index: Buffer, entries: readonly IndexEntry[], objectBytes: number): Buffer {
  const doubted = Buffer.from(index);
  for (const { at } of entries) doubted.fill(0, at, at + TIMES_BYTES);
  const end = doubted.length - objectBytes;
  const sum = createHash(objectBytes === 32 ? 'sha256' : 'sha1').update(doubted.subarray(0, end));
  sum.digest().copy(doubted, end);
  return doubted;
}
