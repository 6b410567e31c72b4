import { closeSync, lstatSync, mkdirSync, openSync, realpathSync, rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { inFolderOfPath } from '../../../platform/held-folder.ts';
import type { GrantedPath } from './check-grant.ts';
import { pinPath, statsOf } from './pinned-path.ts';

export type Placeholders =
  | { readonly kind: 'made'; readonly paths: readonly GrantedPath[]; remove(): void }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Only an existing path can be mounted, and mounting its folder would grant more. So a missing path is created empty, and
 * removed after the process if it is still empty.
 */
export function makePlaceholders(missing: readonly { readonly from: string; readonly at: string }[]): Placeholders {
  const made: string[] = [];
  const paths: GrantedPath[] = [];
  const remove = () => made.toReversed().forEach(removeIfEmpty);
  for (const { from, at } of missing) {
    try {
      make(from, made);
    } catch (error) {
      remove();
      return { kind: 'refused', reason: `${from} cannot be created (${(error as NodeJS.ErrnoException).code})` };
    }
    const pinning = pinPath(from.endsWith('/') ? from.slice(0, -1) : from);
    if (pinning.kind !== 'pinned') {
      remove();
      return { kind: 'refused', reason: pinning.kind === 'refused' ? pinning.reason : `${from} is gone` };
    }
    paths.push({ mode: 'write', from: from.replace(/\/$/, ''), at, pinned: pinning.pinned });
  }
  return { kind: 'made', paths, remove };
}

function make(path: string, made: string[]): void {
  const folders: string[] = [];
  for (let folder = dirname(path); !statsOf(folder); folder = dirname(folder)) folders.push(folder);
  for (const folder of folders.toReversed()) {
    mkdirSync(folder);
    made.push(realNameOf(folder));
  }
  if (path.endsWith('/')) mkdirSync(path);
  else closeSync(openSync(path, 'wx', 0o666));
  made.push(realNameOf(path));
}

/** A path whose folder has no links, as it is before a process starts. */
export function realNameOf(path: string): string {
  return join(realpathSync(dirname(path)), basename(path));
}

/** Through folders that are held: the process may have put a link in the place of one. */
function removeIfEmpty(path: string): void {
  try {
    inFolderOfPath(path, (folder, last) => {
      const stats = lstatSync(folder.at(last));
      if (stats.isDirectory()) rmdirSync(folder.at(last));
      else if (stats.isFile() && stats.size === 0) unlinkSync(folder.at(last));
    });
  } catch {
    // The process filled or removed it.
  }
}

/** Removes what a process made at a path (as `realNameOf` gives it) that it must not have, and nothing behind a link. */
export function removeForbidden(path: string): void {
  inFolderOfPath(path, (folder, last) => rmSync(folder.at(last), { recursive: true, force: true }));
}
