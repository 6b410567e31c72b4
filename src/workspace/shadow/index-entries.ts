import { createHash } from 'node:crypto';

/** An entry of an index. */
interface IndexEntry {
  /** Offset of the entry in the index file. */
  readonly at: number;
  readonly name: Buffer;
}

const HEADER_BYTES = 12;
const STAT_BYTES = 40;
const TIMES_BYTES = 16;
const EXTENDED_FLAG = 0x4000;
const NAME_BYTES = 0x0fff;
const PADDED_TO_BYTES = 8;
const MODE_AT = 24;
/** The mode of a submodule, 160000. */
const SUBMODULE = Buffer.from([0, 0, 0xe0, 0]);

/** Entries of a git index (version 2 or 3) whose file changed in the second `sinceSeconds` or later. */
export function freshEntries(index: Buffer, sinceSeconds: number, objectBytes: number): IndexEntry[] {
  return findEntries(index, objectBytes, (view, at) => view.getUint32(at) >= sinceSeconds);
}

/** The names of the submodules in an index. */
export function submoduleNames(index: Buffer, objectBytes: number): readonly Buffer[] {
  // Most indexes have none: one search is faster than a look at every entry.
  if (!index.includes(SUBMODULE)) return [];
  const found = findEntries(
    index,
    objectBytes,
    (view, at) => view.getUint32(at + MODE_AT) === SUBMODULE.readUInt32BE(),
  );
  return found.map(({ name }) => name);
}

/** Whether an index has a file in this folder, whose name has no slash at its end. */
export function hasFilesBelow(index: Buffer, objectBytes: number, folder: Buffer): boolean {
  const prefix = Buffer.concat([folder, Buffer.from('/')]);
  if (!index.includes(prefix)) return false;
  return findEntries(index, objectBytes, () => true).some(({ name }) => name.subarray(0, prefix.length).equals(prefix));
}

type IsWanted = (view: DataView, at: number) => boolean;

function findEntries(index: Buffer, objectBytes: number, isWanted: IsWanted): IndexEntry[] {
  if (index.toString('latin1', 0, 4) !== 'DIRC' || index.readUInt32BE(4) > 3) throw new Error('not an index of ours');
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  const found: IndexEntry[] = [];
  let at = HEADER_BYTES;
  for (let remaining = view.getUint32(8); remaining > 0; remaining--) {
    const flagsAt = at + STAT_BYTES + objectBytes;
    const flags = view.getUint16(flagsAt);
    const nameAt = flagsAt + (flags & EXTENDED_FLAG ? 4 : 2);
    const nameBytes = flags & NAME_BYTES;
    // A longer name ends at the first NUL.
    const nameEnd = nameBytes < NAME_BYTES ? nameAt + nameBytes : index.indexOf(0, nameAt);
    if (isWanted(view, at)) found.push({ at, name: index.subarray(nameAt, nameEnd) });
    const bytes = nameEnd - at;
    at += bytes + PADDED_TO_BYTES - (bytes % PADDED_TO_BYTES);
  }
  return found;
}

/** The same index with the times of these entries cleared. */
export function withoutTimes(index: Buffer, entries: readonly IndexEntry[], objectBytes: number): Buffer {
  const changed = Buffer.from(index);
  for (const { at } of entries) changed.fill(0, at, at + TIMES_BYTES);
  const end = changed.length - objectBytes;
  const sum = createHash(objectBytes === 32 ? 'sha256' : 'sha1').update(changed.subarray(0, end));
  sum.digest().copy(changed, end);
  return changed;
}
