import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createInflate, inflateSync } from 'node:zlib';
import { KIB, MIB } from '../../domain/limits.ts';
import { inSlices } from '../../platform/timer.ts';

export interface PackBounds {
  readonly objectsMax: number;
  /** The size of all objects together. */
  readonly bytesMax: number;
  /** The length of an object's name: 20 for SHA-1, 32 for SHA-256. */
  readonly nameBytes: number;
}

export interface PackContent {
  readonly objects: number;
  readonly bytes: number;
}

const HEADER_BYTES = 12;
const VERSION = 2;
const ENTRY_HEADER_BYTES_MAX = 16;
/** Commits, folders and files; no tags, and no deltas. */
const KINDS: readonly number[] = [1, 2, 3];
/** Larger objects are inflated piece by piece. */
const WHOLE_BYTES_MAX = 16 * MIB;
/** Commits and folders are read whole by git: a real one is far smaller. */
const NO_FILE_BYTES_MAX = 64 * MIB;
const FILE_KIND = 3;

/**
 * Reads a pack that another node sent, before git does: a pack may say that a few bytes are a file of a thousand gigabytes, or
 * that an object is another one with changes, layer upon layer. Objects that are deltas are refused, and nothing is inflated
 * beyond the bounds. Returns the reason as text where the pack is not as Baton makes them.
 */
export async function scanPack(path: string, bounds: PackBounds): Promise<PackContent | string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    return await scan({ file, path, end: size - bounds.nameBytes }, bounds);
  } finally {
    await file.close();
  }
}

interface OpenPack {
  readonly file: FileHandle;
  readonly path: string;
  /** The offset of the checksum, behind the last object. */
  readonly end: number;
}

async function scan(pack: OpenPack, { objectsMax, bytesMax }: PackBounds): Promise<PackContent | string> {
  if (pack.end < HEADER_BYTES) return 'it is cut short';
  const header = await readAt(pack, 0, HEADER_BYTES);
  if (header.toString('latin1', 0, 4) !== 'PACK' || header.readUInt32BE(4) !== VERSION) return 'it is no pack of git';
  const objects = header.readUInt32BE(8);
  if (objects > objectsMax) return `it has ${objects} objects; at most ${objectsMax} are allowed`;
  const sliceEnd = inSlices();
  let at = HEADER_BYTES;
  let bytes = 0;
  for (let number = 0; number < objects; number++) {
    await sliceEnd();
    const entry = entryAt(await readAt(pack, at, ENTRY_HEADER_BYTES_MAX));
    if (entry === null || !KINDS.includes(entry.kind)) {
      return 'it has an object that is neither a commit nor a folder nor a file, or that is a delta';
    }
    bytes += entry.bytes;
    if (bytes > bytesMax || (entry.kind !== FILE_KIND && entry.bytes > NO_FILE_BYTES_MAX)) {
      return `its objects are larger than ${bytesMax} bytes`;
    }
    const packed = await packedBytes(pack, at + entry.headerBytes, entry.bytes);
    if (packed === null) return 'an object in it is damaged, or larger than it says';
    at += entry.headerBytes + packed;
  }
  return at === pack.end ? { objects, bytes } : 'it has more than its objects';
}

interface Entry {
  readonly kind: number;
  /** The size of the object. */
  readonly bytes: number;
  readonly headerBytes: number;
}

/** Null for a header that does not end. The lowest bits of the size come first, seven to a byte but for the first. */
function entryAt(header: Buffer): Entry | null {
  let byte = header[0] ?? 0;
  const kind = (byte >> 4) & 7;
  let bytes = byte & 15;
  let at = 1;
  for (let factor = 16; byte & 128; factor *= 128, at++) {
    if (at >= header.length) return null;
    byte = header[at] ?? 0;
    bytes += (byte & 127) * factor;
  }
  return Number.isSafeInteger(bytes) ? { kind, bytes, headerBytes: at } : null;
}

/** The size of an object in the pack; null where it does not inflate to the size that it says. */
async function packedBytes(pack: OpenPack, at: number, bytes: number): Promise<number | null> {
  // Zlib needs no more for data that cannot be compressed.
  const most = Math.min(bytes + Math.ceil(bytes / 1_000) + KIB, pack.end - at);
  if (most <= 0) return null;
  return bytes <= WHOLE_BYTES_MAX
    ? inflateWhole(await readAt(pack, at, most), bytes)
    : await inflateInParts(pack, { at, most, bytes });
}

/** With `info`, Node tells how much of the input was used. */
type InflatedObject = { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };

function inflateWhole(packed: Buffer, bytes: number): number | null {
  try {
    const options = { maxOutputLength: Math.max(1, bytes), info: true };
    const { buffer, engine } = inflateSync(packed, options) as unknown as InflatedObject;
    return buffer.length === bytes ? engine.bytesWritten : null;
  } catch (error) {
    // Damaged data and an output beyond the bound both have a code.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}

interface LargeObject {
  readonly at: number;
  readonly most: number;
  readonly bytes: number;
}

async function inflateInParts({ path }: OpenPack, { at, most, bytes }: LargeObject): Promise<number | null> {
  const inflate = createInflate();
  const source = createReadStream(path, { start: at, end: at + most - 1 });
  let found = 0;
  try {
    for await (const chunk of source.pipe(inflate) as AsyncIterable<Buffer>) {
      found += chunk.length;
      if (found > bytes) return null;
    }
    return found === bytes ? inflate.bytesWritten : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  } finally {
    source.destroy();
    inflate.destroy();
  }
}

/** Fewer bytes at the end of the objects. */
async function readAt({ file, end }: OpenPack, at: number, length: number): Promise<Buffer> {
  const wanted = Buffer.alloc(Math.max(0, Math.min(length, end - at)));
  const { bytesRead } = await file.read(wanted, 0, wanted.length, at);
  return wanted.subarray(0, bytesRead);
}
