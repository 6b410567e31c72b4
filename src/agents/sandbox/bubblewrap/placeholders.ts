import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { inFolderOfPath } from '../../../platform/files/held-folder.ts';
import type { GrantedPath } from './check-grant.ts';
import { pinPath, seesPinned, statsOf } from './pinned-path.ts';

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

/** As `commondir` of a repository it names the repository itself: git works as without it. */
const ITSELF = '.\n';

export function isPlaceholder(path: string): boolean {
  try {
    const stats = lstatSync(path);
    return stats.isFile() && stats.size === ITSELF.length && readFileSync(path, 'utf8') === ITSELF;
  } catch {
    // Absent.
    return false;
  }
}

/**
 * Creates the file that is mounted read-only at `commondir` while a process runs, or takes over one that is there: of a
 * sandbox that still runs, or of one that was killed. Returns the function that removes it after the process.
 */
export function placePointer(path: string): () => void {
  const name = realNameOf(path);
  try {
    writeFileSync(name, ITSELF, { flag: 'wx' });
  } catch (error) {
    if (!isPlaceholder(name)) throw error;
  }
  return () => (isPlaceholder(name) ? removePlaceholder(name) : removeForbidden(name));
}

/** Removes a placeholder (by its real name) unless a sandbox holds it: removed, its mount would be gone there too. */
function removePlaceholder(path: string): void {
  if (isHeldElsewhere(path)) return;
  inFolderOfPath(path, (folder, last) => unlinkSync(folder.at(last)));
}

/** Whether a process with other mounts sees this file (by its real name) at a mount of its own. */
export function isHeldElsewhere(path: string): boolean {
  const pinning = pinPath(path);
  if (pinning.kind !== 'pinned') return false;
  const seen = new Set([readlinkSync('/proc/self/ns/mnt')]);
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    const namespace = namespaceOf(pid);
    if (namespace === null || seen.has(namespace)) return false;
    seen.add(namespace);
    return mountPoints(pid).some((at) => at.endsWith('/commondir') && seesPinned(Number(pid), at, pinning.pinned));
  });
}

/** Null where the process has ended or belongs to somebody else. */
function namespaceOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return null;
  }
}

function mountPoints(pid: string): string[] {
  try {
    const lines = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n');
    // The system writes blanks and backslashes in octal.
    return lines.map((line) =>
      (line.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8))),
    );
  } catch {
    // The process has ended.
    return [];
  }
}
