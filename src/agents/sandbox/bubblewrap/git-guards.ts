import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { GIT_GUARD_DEPTH_MAX, GIT_GUARD_FOLDERS_MAX } from '../../../domain/limits.ts';
import { isWithin } from '../../../domain/path-text.ts';
import type { Mount } from './mount.ts';
import { statsOf } from './pinned-path.ts';

interface Shown {
  readonly from: string;
  readonly at: string;
}

/** What git runs or is led by: a process that may write files must not come to run them as somebody else. */
export interface GitGuards {
  readonly mounts: readonly Mount[];
  /** Not there, and to be gone again after the process: a file of this name gives git other hooks and configuration. */
  readonly forbidden: readonly string[];
}

/** Read-only in every repository that a write grant holds: hooks, configuration, what is ignored, and where they are. */
export function gitGuards(writable: readonly Shown[]): GitGuards {
  const folders = writable.flatMap((shown) => [
    ...(isGitFolder(shown.from) ? [shown] : []),
    ...gitEntries(shown).flatMap((entry) => [entry, ...elsewhere(entry, writable)]),
  ]);
  const guards = folders.map(guardEntry);
  return { mounts: guards.flatMap(({ mounts }) => mounts), forbidden: guards.flatMap(({ forbidden }) => forbidden) };
}

/** Each `.git` at or a little below a folder, breadth first and bounded. */
function gitEntries(top: Shown): Shown[] {
  const found: Shown[] = [];
  let level = [top];
  let seen = 0;
  for (let depth = 0; depth <= GIT_GUARD_DEPTH_MAX; depth += 1) {
    found.push(...level.map((folder) => below(folder, '.git')).filter(({ from }) => statsOf(from)));
    const room = GIT_GUARD_FOLDERS_MAX - seen;
    level = depth === GIT_GUARD_DEPTH_MAX ? [] : level.flatMap(subfolders).slice(0, Math.max(room, 0));
    seen += level.length;
  }
  return found;
}

function subfolders(folder: Shown): Shown[] {
  try {
    return readdirSync(folder.from, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules')
      .map(({ name }) => below(folder, name));
  } catch {
    // A file, or not ours to read: then git does not read it as us either.
    return [];
  }
}

/** A worktree's or submodule's `.git` is a file that names a folder; it matters where that can be written too. */
function elsewhere(entry: Shown, writable: readonly Shown[]): Shown[] {
  const named = statsOf(entry.from)?.isFile() ? /^gitdir: (.+)$/m.exec(read(entry.from))?.[1] : undefined;
  if (named === undefined) return [];
  const folder = resolve(entry.from, '..', named);
  const common = resolve(folder, read(join(folder, 'commondir')).trim() || '.');
  return [...new Set([folder, common])].flatMap((from) =>
    writable
      .filter((shown) => isWithin(shown.from, from))
      .map((shown) => ({ from, at: shown.at + from.slice(shown.from.length) })),
  );
}

function guardEntry(entry: Shown): GitGuards {
  const sealed: GitGuards = { mounts: [{ kind: 'read', ...entry }], forbidden: [] };
  // A file that points elsewhere, or a link: nothing in it can be guarded one by one.
  if (!statsOf(entry.from)?.isDirectory()) return sealed;
  const repositories = [entry, ...modulesOf(entry)].map(guardRepository);
  if (repositories.some((guards) => guards === null)) return sealed;
  const guards = repositories.filter((each) => each !== null);
  return {
    // A mount of its own cannot be moved aside with what it guards.
    mounts: [{ kind: 'write', ...entry }, ...guards.flatMap(({ mounts }) => mounts)],
    forbidden: guards.flatMap(({ forbidden }) => forbidden),
  };
}

/** Null where something that matters is missing or a link: there nothing can be mounted on it. */
function guardRepository(folder: Shown): GitGuards | null {
  if (existsSync(join(folder.from, 'commondir'))) return guardNames(folder, ['config.worktree', 'commondir', 'gitdir']);
  const config = statsOf(join(folder.from, 'config'));
  const folders = ['hooks', 'info'].map((name) => ({ name, stats: statsOf(join(folder.from, name)) }));
  if (!config?.isFile() || folders.some(({ stats }) => stats && !stats.isDirectory())) return null;
  const hasOwnPerWorktree = /worktreeconfig/i.test(read(join(folder.from, 'config')));
  if (hasOwnPerWorktree && !statsOf(join(folder.from, 'config.worktree'))) return null;
  const { mounts } = guardNames(folder, ['hooks', 'info', 'config', 'config.worktree', 'worktrees']);
  const missing = folders.filter(({ stats }) => !stats);
  const empty = missing.map(({ name }): Mount => ({ kind: 'empty', at: join(folder.at, name), bytesMax: 0 }));
  return { mounts: [...mounts, ...empty], forbidden: [join(folder.from, 'commondir')] };
}

function guardNames(folder: Shown, names: readonly string[]): GitGuards {
  const present = names.map((name) => below(folder, name)).filter(({ from }) => statsOf(from));
  return { mounts: present.map((shown) => ({ kind: 'read', ...shown })), forbidden: [] };
}

/** The repositories of submodules, which are kept below the one of the whole. */
function modulesOf(entry: Shown): Shown[] {
  const found: Shown[] = [];
  let level = subfolders(below(entry, 'modules'));
  for (let depth = 0; depth <= GIT_GUARD_DEPTH_MAX && level.length > 0; depth += 1) {
    found.push(...level.filter(({ from }) => isGitFolder(from)));
    level = level
      .filter(({ from }) => !isGitFolder(from))
      .flatMap(subfolders)
      .slice(0, GIT_GUARD_FOLDERS_MAX);
  }
  return found;
}

function isGitFolder(path: string): boolean {
  return existsSync(join(path, 'HEAD')) && existsSync(join(path, 'objects'));
}

function below({ from, at }: Shown, name: string): Shown {
  return { from: join(from, name), at: join(at, name) };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not there.
    return '';
  }
}
