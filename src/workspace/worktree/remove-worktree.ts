import { chmodSync, existsSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const DRAFT = '.new';
const GONE = '.gone';

/** Removes the worktree atomically and keeps its shadow commits. False if it did not exist. */
export function removeWorktree(folder: string): boolean {
  const gone = `${folder}${GONE}`;
  removeAll(gone);
  const isThere = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  if (isThere) renameSync(folder, gone);
  removeAll(gone);
  removeAll(`${folder}${DRAFT}`);
  return isThere;
}

/** After a crash: half-made and half-removed ones go, and those that no run needs any more. */
export function sweepWorktrees(parent: string, isNeeded: (name: string) => boolean): string[] {
  if (!existsSync(parent)) return [];
  const left = readdirSync(parent).filter((name) => name.endsWith(DRAFT) || name.endsWith(GONE) || !isNeeded(name));
  for (const name of left) removeAll(join(parent, name));
  return left;
}

function removeAll(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // A folder that its agent closed: it is opened, and if that was not it, the second try tells.
    openFolders(path);
    rmSync(path, { recursive: true, force: true });
  }
}

function openFolders(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) openFolders(join(path, name));
}
