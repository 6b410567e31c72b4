import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { HASHED_FILE_BYTES_MAX } from '../../domain/limits.ts';

export interface HashedFile {
  readonly size: number;
  /** Whole milliseconds: two texts of a finer number could mean the same. */
  readonly mtimeMs: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** So that a pipe, or a link put there meanwhile, keeps nobody waiting. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A file by its real path; null for what is no plain file, and for one that would be read for minutes. */
export async function hashFile(realPath: string): Promise<HashedFile | null> {
  const file = await open(realPath, FLAGS);
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > HASHED_FILE_BYTES_MAX) return null;
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
    }
    return { size, mtimeMs: Math.trunc(stat.mtimeMs), sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}
