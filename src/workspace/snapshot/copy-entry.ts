import { chmodSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, type Stats, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { INCLUDED_FILES_MAX } from '../../domain/limits.ts';
import { syncPath } from '../../platform/durable-files.ts';
import { copyFile } from '../files/copy-file.ts';
import { WorkspaceFault } from '../workspace-fault.ts';

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
  /** Of the whole copy. */
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
