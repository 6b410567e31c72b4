import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** What was written to a file, and that it is there at all, survives a power cut only after its own sync. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * A file for its owner that is there whole or as it was before, and stays so after a power cut. The disk is waited for
 * beside everything else: a node that reports many runs at once would stand still for each.
 */
export async function writeDurably(path: string, text: string): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
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
