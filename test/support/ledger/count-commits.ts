import { readFileSync } from 'node:fs';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** How many commits stand in the log of a database: a frame that ends one carries the size of the database. */
export function countCommits(file: string): number {
  const log = readFileSync(`${file}-wal`);
  const pageBytes = log.readUInt32BE(8);
  const salt = log.readBigUInt64BE(16);
  let commits = 0;
  for (let at = HEADER_BYTES; at + FRAME_HEADER_BYTES <= log.length; at += FRAME_HEADER_BYTES + pageBytes) {
    if (log.readBigUInt64BE(at + 8) !== salt) break;
    if (log.readUInt32BE(at + 4) > 0) commits++;
  }
  return commits;
}
