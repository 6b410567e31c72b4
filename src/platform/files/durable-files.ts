import { chmodSync, closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Whether a file, a folder or a link is at the path, even a link that leads nowhere. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Syncs a file or a folder: content and directory entry each survive a power cut only after their own sync. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Marks a file of mode 0600 as used: its ctime becomes the present by the file system's own clock. */
export function renewFile(path: string): void {
  chmodSync(path, 0o600);
}

let drafts = 0;

/** Each write has its own: two of one file may be under way at once. */
function draftOf(path: string): string {
  drafts += 1;
  return join(dirname(path), `.${basename(path)}.${process.pid}-${drafts}.tmp`);
}

/**
 * Replaces a file in one rename with mode 0600; it survives a power cut. The sync is asynchronous: a node that reports
 * many runs at once would block for each.
 */
export async function writeDurably(path: string, text: string | Uint8Array): Promise<void> {
  const draft = draftOf(path);
  await rm(draft, { force: true });
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: true });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  const folder = await open(dirname(path));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Replaces a file in one rename with mode 0600: a reader, and whoever comes after a kill, finds the old bytes or the new
 * ones. Without the sync a power cut may still leave a torn file: only for a file that is checked when it is read, and that
 * can be made again.
 */
export function replaceFile(
  path: string,
  bytes: string | Uint8Array,
  { isSynced = true }: { readonly isSynced?: boolean } = {},
): void {
  const draft = draftOf(path);
  try {
    writeFileSync(draft, bytes, { mode: 0o600, flush: isSynced });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  if (isSynced) syncPath(dirname(path));
}
