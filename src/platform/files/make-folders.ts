import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/**
 * Creates a folder and those above it that are missing. Not `recursive: true`: Node then retries forever where a file
 * system answers ENOENT to mkdir below an existing folder, as /proc does.
 */
export function makeFolders(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let at = path; !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing) makeFolder(folder, mode);
}

/**
 * Creates a folder with mode 0700 and those above it that are missing below `root`, and never `root` itself: what works in a
 * data folder that was moved away fails instead of creating another one at the old place.
 */
export function makeFoldersIn(root: string, path: string): void {
  let folder = root;
  for (const name of relative(root, path).split(sep).filter(Boolean)) {
    folder = join(folder, name);
    if (!existsSync(folder)) makeFolder(folder, 0o700);
  }
}

function makeFolder(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(folder)) throw error;
  }
}
