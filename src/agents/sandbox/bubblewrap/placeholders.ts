import { closeSync, lstatSync, mkdirSync, openSync, rmdirSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
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
    made.push(folder);
  }
  if (path.endsWith('/')) mkdirSync(path);
  else closeSync(openSync(path, 'wx', 0o666));
  made.push(path);
}

function removeIfEmpty(path: string): void {
  try {
    const stats = lstatSync(path);
    if (stats.isDirectory()) rmdirSync(path);
    else if (stats.isFile() && stats.size === 0) unlinkSync(path);
  } catch {
    // The process filled or removed it.
  }
}
