import {
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  type Stats,
  symlinkSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { INCLUDED_FILES_MAX, KIB, WORKSPACE_FILE_BYTES_MAX } from '../../domain/limits.ts';
import { syncPath } from '../../platform/files/durable-files.ts';
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

/** Copies a file, a link or a folder with all that is in it to a name that it takes over; null where there is none. */
export async function copyEntry(from: string, to: string): Promise<{ readonly mode: number } | null> {
  rmSync(to, { recursive: true, force: true });
  const stats = lstatSync(from, { throwIfNoEntry: false });
  if (!stats) return null;
  await copyOne(from, to, { stats, left: { files: INCLUDED_FILES_MAX } });
  return { mode: stats.mode & 0o7777 };
}

interface Copying {
  readonly stats: Stats;
  /** The files that the whole copy may still have. */
  readonly left: { files: number };
}

async function copyOne(from: string, to: string, { stats, left }: Copying): Promise<void> {
  if (left.files-- === 0) {
    throw new WorkspaceFault('copy entry', `${from}: there are too many files to be kept`, { retryable: false });
  }
  if (stats.isSymbolicLink()) {
    symlinkSync(readlinkSync(from, { encoding: 'buffer' }), to);
    return;
  }
  if (!stats.isDirectory()) {
    await copyFile(from, to);
    return;
  }
  mkdirSync(to, { mode: 0o700 });
  for (const name of readdirSync(from)) {
    const inner = lstatSync(join(from, name), { throwIfNoEntry: false });
    if (inner) await copyOne(join(from, name), join(to, name), { stats: inner, left });
  }
  // Open to its owner whatever it was, or what is in it could not be put back.
  chmodSync(to, (stats.mode & 0o7777) | 0o700);
  syncPath(to);
}
