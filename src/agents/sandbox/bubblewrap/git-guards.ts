import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { GIT_GUARD_DEPTH_MAX, GIT_GUARD_FOLDERS_MAX } from '../../../domain/process-limits.ts';
import { isWithin } from '../../../domain/work/path-text.ts';
import type { Mount } from './mount.ts';
import { statsOf } from './pinned-path.ts';
import { isPlaceholder } from './placeholders.ts';

export interface MountedFolder {
  readonly from: string;
  readonly at: string;
}

/** Protects the files that git executes or obeys: whoever may write them runs commands as the user of the repository. */
export interface GitGuards {
  readonly mounts: readonly Mount[];
  /** Absent files `commondir`, which would give git other hooks and configuration: a placeholder is mounted at each. */
  readonly pointers: readonly MountedFolder[];
}

/** Makes hooks, configuration, ignore rules and pointers to them read-only in every repository inside a write grant. */
export function gitGuards(writable: readonly MountedFolder[]): GitGuards {
  const folders = writable.flatMap((shown) => [
    ...(isGitFolder(shown.from) ? [shown] : []),
    ...gitEntries(shown).flatMap((entry) => [entry, ...gitFoldersNamedBy(entry, writable)]),
  ]);
  const guards = folders.map(guardEntry);
  return { mounts: guards.flatMap(({ mounts }) => mounts), pointers: guards.flatMap(({ pointers }) => pointers) };
}

/** Every `.git` in a folder and a few levels below, breadth first and bounded. */
function gitEntries(top: MountedFolder): MountedFolder[] {
  const found: MountedFolder[] = [];
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

function subfolders(folder: MountedFolder): MountedFolder[] {
  try {
    return readdirSync(folder.from, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules')
      .map(({ name }) => below(folder, name));
  } catch {
    // A file, or unreadable: then git cannot read it as this user either.
    return [];
  }
}

/** The `.git` of a worktree or submodule is a file that names a folder; that folder is guarded if it is writable too. */
function gitFoldersNamedBy(entry: MountedFolder, writable: readonly MountedFolder[]): MountedFolder[] {
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

function guardEntry(entry: MountedFolder): GitGuards {
  const sealed: GitGuards = { mounts: [{ kind: 'read', ...entry }], pointers: [] };
  // A file or a link: nothing in it can be guarded one by one.
  if (!statsOf(entry.from)?.isDirectory()) return sealed;
  const modules = modulesOf(entry);
  const repositories = [entry, ...modules].map(guardRepository);
  if (repositories.some((guards) => guards === null)) return sealed;
  const guards = repositories.filter((each) => each !== null);
  // As mounts of their own, these folders cannot be renamed with the guarded files in them.
  const held = [
    entry,
    ...new Map(modules.flatMap((one) => foldersDownTo(one, entry)).map((one) => [one.at, one])).values(),
  ];
  return {
    mounts: [...held.map((folder): Mount => ({ kind: 'write', ...folder })), ...guards.flatMap(({ mounts }) => mounts)],
    pointers: guards.flatMap(({ pointers }) => pointers),
  };
}

/** With any `commondir` git ignores these settings and takes the folder of `.git` for the work tree. */
const PLACED_ELSEWHERE =
  /^[ \t]*(?:\[[^\]\n]*\][ \t]*)*(?:worktree[ \t]*=|bare[ \t]*(?:=[ \t]*(?:true|yes|on|1)|\r?$))/im;

/** Null if a file to guard is missing or a link: nothing can be mounted on it. */
function guardRepository(folder: MountedFolder): GitGuards | null {
  if (existsSync(join(folder.from, 'commondir')) && !isPlaceholder(join(folder.from, 'commondir')))
    return lacksOwnSettings(folder.from) ? null : guardNames(folder, ['config.worktree', 'commondir', 'gitdir']);
  const config = statsOf(join(folder.from, 'config'));
  const folders = ['hooks', 'info'].map((name) => ({ name, stats: statsOf(join(folder.from, name)) }));
  if (!config?.isFile() || folders.some(({ stats }) => stats && !stats.isDirectory())) return null;
  if (basename(folder.from) === '.git' && PLACED_ELSEWHERE.test(read(join(folder.from, 'config')))) return null;
  if (!isWritable(folder.from)) return null;
  if (lacksOwnSettings(folder.from)) return null;
  const { mounts } = guardNames(folder, ['hooks', 'info', 'config', 'config.worktree', 'worktrees']);
  const missing = folders.filter(({ stats }) => !stats);
  const empty = missing.map(({ name }): Mount => ({ kind: 'empty', at: join(folder.at, name), bytesMax: 0 }));
  return { mounts: [...mounts, ...empty], pointers: [below(folder, 'commondir')] };
}

/** Whether git would obey a `config.worktree` in a git folder, and there is none yet. */
function lacksOwnSettings(folder: string): boolean {
  if (statsOf(join(folder, 'config.worktree'))) return false;
  const common = resolve(folder, read(join(folder, 'commondir')).trim() || '.');
  return /worktreeconfig/i.test(read(join(common, 'config')));
}

function guardNames(folder: MountedFolder, names: readonly string[]): GitGuards {
  const present = names.map((name) => below(folder, name)).filter(({ from }) => statsOf(from));
  return { mounts: present.map((shown) => ({ kind: 'read', ...shown })), pointers: [] };
}

function foldersDownTo(folder: MountedFolder, top: MountedFolder): MountedFolder[] {
  if (folder.from === top.from) return [];
  return [...foldersDownTo({ from: dirname(folder.from), at: dirname(folder.at) }, top), folder];
}

/** Repositories of submodules and of their submodules, which git stores below `modules`. */
function modulesOf(entry: MountedFolder): MountedFolder[] {
  return modulesIn(entry).flatMap((module) => [module, ...modulesOf(module)]);
}

function modulesIn(entry: MountedFolder): MountedFolder[] {
  const found: MountedFolder[] = [];
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

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    // Of another user, or on a read-only disk: nothing can be created in it to mount on.
    return false;
  }
}

function below({ from, at }: MountedFolder, name: string): MountedFolder {
  return { from: join(from, name), at: join(at, name) };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Absent.
    return '';
  }
}
