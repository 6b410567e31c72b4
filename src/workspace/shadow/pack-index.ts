import { readFileSync } from 'node:fs';

const MAGIC = 0xff744f63;
const HEADER_BYTES = 8;
const FANOUT_BYTES = 256 * 4;

/** The names of all objects of a pack, from its index (version 2); null where it cannot be read. */
export function objectsOfPack(indexFile: string, objectBytes: number): readonly string[] | null {
  const bytes = readFileSync(indexFile);
  const isKnown = bytes.length > HEADER_BYTES + FANOUT_BYTES && bytes.readUInt32BE(0) === MAGIC;
  if (!isKnown || bytes.readUInt32BE(4) !== 2) return null;
  const count = bytes.readUInt32BE(HEADER_BYTES + FANOUT_BYTES - 4);
  const start = HEADER_BYTES + FANOUT_BYTES;
  if (bytes.length < start + count * objectBytes) return null;
  return Array.from({ length: count }, (_, at) =>
    bytes.toString('hex', start + at * objectBytes, start + (at + 1) * objectBytes),
  );
}
