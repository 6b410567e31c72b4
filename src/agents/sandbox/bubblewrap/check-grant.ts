import { dirname, isAbsolute, normalize } from 'node:path';
import { SANDBOX_GRANT_PATHS_MAX } from '../../../domain/process-limits.ts';
import { isWithin } from '../../../domain/work/path-text.ts';
import { realPathAsFar } from '../../../platform/files/real-path.ts';
import type { Grant } from '../sandbox.ts';
import { type PinnedPath, pinPath, statsOf } from './pinned-path.ts';

/** A granted path `at`, and the file or folder `from` that is shown there. */
export interface GrantedPath {
  readonly mode: 'read' | 'write';
  readonly from: string;
  readonly at: string;
  readonly pinned: PinnedPath;
}

export interface CheckedGrant {
  readonly paths: readonly GrantedPath[];
  /** Write paths that do not exist yet; a folder if it ends in a slash. */
  readonly missing: readonly { readonly from: string; readonly at: string }[];
  readonly hidden: readonly string[];
  readonly private: readonly string[];
}

export type GrantCheck =
  | { readonly kind: 'checked'; readonly grant: CheckedGrant }
  | { readonly kind: 'refused'; readonly reason: string };

/** File systems of the kernel, never granted. */
const NEVER = ['/proc', '/sys', '/dev'];

type UnpinnedPath = Omit<GrantedPath, 'pinned'>;

/** Decides which paths are mounted and how; refuses what cannot be enforced exactly. Paths inside a wider grant are dropped. */
export function checkGrant(grant: Grant): GrantCheck {
  const hidden = [...new Set(grant.hiddenPaths.map((path) => realPathAsFar(trim(path))))];
  const named = [
    ...grant.readPaths,
    ...grant.writePaths,
    ...grant.hiddenPaths,
    ...(grant.readOnlyPaths ?? []),
    ...(grant.privatePaths ?? []),
    ...grant.mounts.flatMap(({ from, at }) => [from, at]),
  ];
  const reason = named.length > SANDBOX_GRANT_PATHS_MAX ? 'the grant names too many paths' : firstWrong(named, grant);
  if (reason !== null) return { kind: 'refused', reason };
  // A home that is a link is known by both names.
  const own = [...new Set((grant.privatePaths ?? []).map(trim).flatMap((path) => [realPathAsFar(path), path]))];
  const pinned = pinAll(wantedPaths(grant, hidden));
  return pinned.kind === 'refused' ? pinned : { kind: 'checked', grant: { ...pinned, hidden, private: own } };
}

function firstWrong(named: readonly string[], { writePaths }: Grant): string | null {
  const wrong = named.find((path) => !isAbsolute(path) || trim(path) !== trim(normalize(path)) || path.includes('\0'));
  if (wrong !== undefined) return `${JSON.stringify(wrong)} is not an absolute, plain path`;
  const kernels = named.find((path) => NEVER.some((folder) => isWithin(folder, trim(path))));
  if (kernels !== undefined) return `${kernels} belongs to the system and is not granted`;
  if (writePaths.some((path) => trim(path) === '/')) return 'the whole file system is not granted for writing';
  const guarded = writePaths.find((path) => /\/\.git\/(hooks|config)(\/|$)/.test(path));
  return guarded === undefined ? null : `${guarded} is never granted for writing: git runs what stands in it`;
}

function wantedPaths(grant: Grant, hidden: readonly string[]): UnpinnedPath[] {
  const writes = unique(grant.writePaths).filter((path) => !hidden.includes(trim(path)));
  const reads = unique(grant.readPaths).filter((path) => !hidden.some((folder) => isWithin(folder, trim(path))));
  const isCovered = (path: string, wider: readonly string[]) =>
    wider.some(
      (folder) =>
        trim(path) !== trim(folder) && isWithin(trim(folder), trim(path)) && !isHiddenBetween(path, folder, hidden),
    );
  const want =
    (mode: 'read' | 'write') =>
    (at: string): UnpinnedPath => ({ mode, from: sourceOf(at, grant.mounts), at: trim(at) });
  const ends = [
    ...reads.filter((path) => !writes.includes(path) && !isCovered(path, [...writes, ...reads])).map(want('read')),
    ...writes.filter((path) => !isCovered(path, writes)).map(want('write')),
  ];
  // A mount inside a wider grant gets the mode of that grant.
  const inside = grant.mounts.flatMap(({ from, at }): UnpinnedPath[] => {
    const mode = isCovered(at, writes) ? 'write' : 'read';
    return mode === 'write' || isCovered(at, reads) ? [{ mode, from, at }] : [];
  });
  return [...ends, ...inside, ...foldersAbove(hidden, writes, grant), ...readOnlyWithin(writes, grant)];
}

/**
 * Read-only paths inside write paths. The folders above each are mounts of their own, so that they cannot be renamed
 * with the read-only path in them.
 */
function readOnlyWithin(writes: readonly string[], { readOnlyPaths = [], mounts }: Grant): UnpinnedPath[] {
  const held = unique(readOnlyPaths)
    .map(trim)
    .filter((at) => statsOf(sourceOf(at, mounts)));
  const outermost = held.filter((path) => !held.some((other) => other !== path && isWithin(other, path)));
  const within = outermost.flatMap((at) => {
    const root = writes.map(trim).find((folder) => isWithin(folder, at));
    return root === undefined ? [] : [...foldersBetween(root, at).map(named('write')), named('read')(at)];
  });
  return [...new Map(within.map((path) => [path.at, path])).values()];

  function named(mode: 'read' | 'write') {
    return (at: string): UnpinnedPath => ({ mode, from: sourceOf(at, mounts), at });
  }
}

/** The writable folders above hidden ones, as mounts of their own: renamed, they would take the hidden folder along. */
function foldersAbove(
  hidden: readonly string[],
  writes: readonly string[],
  { readOnlyPaths = [], mounts }: Grant,
): UnpinnedPath[] {
  const above = hidden.flatMap((path) => {
    const root = writes.map(trim).find((folder) => isWithin(folder, path));
    return root === undefined || !statsOf(path) ? [] : foldersBetween(root, path);
  });
  const isBound = (at: string) => readOnlyPaths.some((path) => isWithin(trim(path), at));
  const isHidden = (at: string) => hidden.some((path) => isWithin(path, at));
  return [...new Set(above)]
    .filter((at) => !isBound(at) && !isHidden(at) && statsOf(sourceOf(at, mounts)))
    .map((at) => ({ mode: 'write', from: sourceOf(at, mounts), at }));
}

function foldersBetween(root: string, path: string): string[] {
  const parent = dirname(path);
  return path === root || parent === root ? [] : [...foldersBetween(root, parent), parent];
}

type PinnedPaths = Pick<CheckedGrant, 'paths' | 'missing'> & { readonly kind: 'pinned' };

function pinAll(wanted: readonly UnpinnedPath[]): PinnedPaths | Extract<GrantCheck, { readonly kind: 'refused' }> {
  const paths: GrantedPath[] = [];
  const missing: UnpinnedPath[] = [];
  for (const path of wanted) {
    const pinning = pinPath(trim(path.from));
    if (pinning.kind === 'refused') return pinning;
    if (pinning.kind === 'pinned') paths.push({ ...path, from: trim(path.from), pinned: pinning.pinned });
    else if (path.mode === 'write') missing.push(path);
  }
  return { kind: 'pinned', paths, missing };
}

/** The path whose content is shown at a path, by the innermost mount above it. */
function sourceOf(path: string, mounts: Grant['mounts']): string {
  const above = mounts.filter(({ at }) => isWithin(at, trim(path))).sort((a, b) => b.at.length - a.at.length)[0];
  return above ? above.from + path.slice(above.at.length) : path;
}

function isHiddenBetween(path: string, folder: string, hidden: readonly string[]): boolean {
  return hidden.some((cover) => isWithin(trim(folder), cover) && isWithin(cover, trim(path)));
}

function unique(paths: readonly string[]): string[] {
  return [...new Map(paths.map((path) => [trim(path), path])).values()];
}

function trim(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
