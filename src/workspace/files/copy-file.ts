import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { KIB, WORKSPACE_FILE_BYTES_MAX } from '../../domain/limits.ts';
import { WorkspaceFault } from '../workspace-fault.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants;
// Where the system has no such flags it has no such files either.
const NO_LINK = constants.O_NOFOLLOW ?? 0;
const NO_WAIT = constants.O_NONBLOCK ?? 0;
const CHUNK_BYTES = 256 * KIB;

export interface CopiedFile {
  readonly mode: number;
  readonly bytes: number;
}

/**
 * Copies the bytes and the mode of a plain file to a name that is free, and syncs it. Neither end may be a link; a pipe
 * or a device, and what is too large to be kept, is refused as a fault.
 */
export async function copyFile(from: string | Buffer, to: string | Buffer): Promise<CopiedFile> {
  const source = await open(from as string, O_RDONLY | NO_LINK | NO_WAIT);
  try {
    const stats = await source.stat();
    if (!stats.isFile()) throw unfit(`${from} is no plain file`);
    if (stats.size > WORKSPACE_FILE_BYTES_MAX) throw unfit(`${from} is too large to be kept`);
    const mode = stats.mode & 0o7777;
    const target = await open(to as string, O_WRONLY | O_CREAT | O_EXCL | NO_LINK, 0o600);
    try {
      const bytes = await copyBytes(source, target);
      await target.chmod(mode);
      await target.sync();
      return { mode, bytes };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyBytes(source: FileHandle, target: FileHandle): Promise<number> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await source.read(chunk, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return bytes;
    bytes += bytesRead;
    // It may grow while it is read.
    if (bytes > WORKSPACE_FILE_BYTES_MAX) throw unfit('the file is too large to be kept');
    await target.writeFile(chunk.subarray(0, bytesRead));
  }
}

function unfit(message: string): WorkspaceFault {
  return new WorkspaceFault('copy file', message, { retryable: false });
}
