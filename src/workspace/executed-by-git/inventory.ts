import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { GIT_TEXT_BYTES_MAX } from '../../domain/limits.ts';
import { isWithin } from '../../domain/work/path-text.ts';
import type { Repository } from '../../domain/work/repository.ts';
import { bytesOf, type RawPath, rawPath, textOf } from '../../platform/files/raw-path.ts';
import { readPlainFile } from '../files/read-plain-file.ts';
import { findGitNames, type GitNames } from './find-git-names.ts';
import {
  decisiveSettings,
  namedCommands,
  namedDrivers,
  namedHookFolders,
  readGitSettings,
  type UserFolders,
} from './git-settings.ts';

/** The folders to look at. */
export interface InventoryPlace {
  /** The user's repository; null without git. */
  readonly repository: Repository | null;
  /** The top of the files: of the repository, or of a worktree that is kept elsewhere. */
  readonly root: string;
  /** Folders that a run may write, as real paths. */
  readonly folders: readonly string[];
  /** Baton's own: no agent reaches it. */
  readonly dataFolder: string;
  readonly user: UserFolders;
}

/** Something that git executes or obeys. */
export interface InventoryEntry {
  /** Differs where its content differs. */
  readonly mark: string;
  readonly reason: string;
}

/** Everything in a workspace that a git command of the user would execute or obey. */
export interface Inventory {
  /** By path. */
  readonly entries: ReadonlyMap<string, InventoryEntry>;
  readonly notSeen: readonly string[];
  readonly names: GitNames;
}

/** Looks at everything that git would execute; to any depth, following no link. */
export async function takeInventory(place: InventoryPlace): Promise<Inventory> {
  const folders = place.folders.filter((one) => !place.folders.some((other) => other !== one && isWithin(other, one)));
  const names = await findGitNames([...new Set(folders)], [place.dataFolder]);
  const listed = new Listing(names.notSeen);
  for (const path of [...names.entries, ...entriesAbove(place.root)]) listed.addRepositoryEntry(path);
  for (const path of names.folders) listed.addGitFolder(path);
  const { repository } = place;
  if (repository) for (const path of [repository.gitDir, repository.commonDir]) listed.addGitFolder(rawPath(path));
  addSettings(listed, place, names);
  return { entries: listed.entries, notSeen: [...listed.notSeen].map(textOf), names };
}

/** Git searches the folders above, too. */
function entriesAbove(root: string): RawPath[] {
  const parent = dirname(root);
  return parent === root ? [] : [rawPath(`${parent === '/' ? '' : parent}/.git`), ...entriesAbove(parent)];
}

/** Adds the files that the settings of the repository and of the user name. */
function addSettings(listed: Listing, place: InventoryPlace, names: GitNames): void {
  const { repository, root, user } = place;
  const settings = readGitSettings(repository, user);
  // Files of the repository lie in the worktree, if the work is done in one.
  const here = (path: string) =>
    repository && isWithin(repository.root, path) && !isWithin(repository.commonDir, path)
      ? root + path.slice(repository.root.length)
      : path;
  for (const file of settings.files) listed.addConfig(rawPath(here(file)));
  for (const folder of namedHookFolders(settings, root, user)) listed.addHooks(rawPath(folder));
  for (const { path, setting } of namedCommands(settings, root, user)) {
    listed.addFile(rawPath(path), `the setting ${setting} runs it`);
  }
  const drivers = namedDrivers(settings);
  if (drivers.size > 0) for (const file of names.attributeFiles) listed.addAttributes(file, drivers);
  if (repository) listed.addAttributes(rawPath(`${repository.commonDir}/info/attributes`), drivers);
}

/** The list while it is made. */
class Listing {
  readonly entries = new Map<string, InventoryEntry>();
  readonly notSeen: Set<RawPath>;
  readonly #gitFolders = new Set<RawPath>();

  constructor(notSeen: readonly RawPath[]) {
    this.notSeen = new Set(notSeen);
  }

  /** Adds an entry named `.git`, and the repository that it is or leads to. */
  addRepositoryEntry(path: RawPath): void {
    const stats = statsOf(path);
    if (!stats) return;
    if (stats.isDirectory()) {
      this.addGitFolder(path);
      return;
    }
    const text = stats.isSymbolicLink() ? readlinkSync(bytesOf(path), 'latin1') : (readText(path) ?? '');
    this.#add(path, { mark: markOf(text), reason: 'it makes git use the repository that it names' });
    const named = stats.isSymbolicLink() ? text : /^gitdir: (.+?)\r?\n?$/s.exec(text)?.[1];
    const folder =
      named && realFile(named.startsWith('/') ? named : `${path.slice(0, path.lastIndexOf('/'))}/${named}`);
    if (folder) this.addGitFolder(folder);
  }

  addGitFolder(path: RawPath): void {
    if (this.#gitFolders.has(path)) return;
    this.#gitFolders.add(path);
    this.#add(path, { mark: 'repository', reason: 'a git repository: git obeys its configuration and runs its hooks' });
    for (const name of ['config', 'config.worktree']) this.addConfig(`${path}/${name}`);
    this.addHooks(`${path}/hooks`);
    for (const [name, reason] of OBEYED_FILES) this.addFile(`${path}/${name}`, reason);
    for (const name of ['remotes', 'branches']) {
      for (const file of this.#namesIn(`${path}/${name}`)) this.addFile(file, 'git fetches from the address in it');
    }
    for (const folder of this.#namesIn(`${path}/worktrees`)) this.addGitFolder(folder);
    this.#addModules(`${path}/modules`);
  }

  /** Repositories of submodules; their names may contain slashes. */
  #addModules(folder: RawPath): void {
    for (const path of this.#namesIn(folder)) {
      if (!statsOf(path)?.isDirectory()) continue;
      if (statsOf(`${path}/HEAD`) || statsOf(`${path}/config`)) this.addGitFolder(path);
      else this.#addModules(path);
    }
  }

  addConfig(path: RawPath): void {
    if (!statsOf(path)) return;
    const text = readText(path);
    const settings = decisiveSettings(text ?? '');
    if (text === null) this.#add(path, { mark: 'unreadable', reason: 'git reads it as its configuration' });
    if (settings.length === 0) return;
    const set = [...new Set(settings.map(({ name }) => name))];
    const more = set.length > SHOWN_MAX ? ` and ${set.length - SHOWN_MAX} more` : '';
    const reason = `git obeys its settings ${set.slice(0, SHOWN_MAX).join(', ')}${more}`;
    this.#add(path, { mark: markOf(JSON.stringify(settings)), reason });
  }

  addHooks(folder: RawPath): void {
    for (const path of this.#namesIn(folder)) {
      const stats = statsOf(path);
      const isHook = stats?.isSymbolicLink() || (stats?.isFile() && (stats.mode & ANYBODY_EXECUTES) !== 0);
      if (isHook && !path.endsWith('.sample')) this.addFile(path, 'git runs it as a hook');
    }
  }

  addFile(path: RawPath, reason: string): void {
    const stats = statsOf(path);
    if (!stats || stats.isDirectory()) return;
    const real = stats.isSymbolicLink() ? realFile(path) : path;
    const content = real && (readText(real) ?? `${stats.size} ${stats.ctimeMs} ${stats.ino}`);
    if (path.endsWith('/commondir') && stats.isFile() && content === NAMES_ITSELF) return;
    this.#add(path, { mark: markOf(`${stats.isSymbolicLink() ? real : ''} ${content}`), reason });
  }

  addAttributes(path: RawPath, drivers: ReadonlySet<string>): void {
    const words = (readText(path) ?? '').split(/\s+/).filter((word) => drivers.has(word));
    if (words.length === 0) return;
    const names = [...new Set(words)].join(', ');
    this.#add(path, { mark: markOf(readText(path) ?? ''), reason: `it makes git run the command of ${names}` });
  }

  #namesIn(folder: RawPath): RawPath[] {
    try {
      const names = readdirSync(bytesOf(folder), { encoding: 'latin1' });
      if (names.length > FOLDER_ENTRIES_MAX) this.notSeen.add(folder);
      return names.slice(0, FOLDER_ENTRIES_MAX).map((name) => `${folder}/${name}`);
    } catch (error) {
      // Absent, or no folder: git finds nothing there either.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.notSeen.add(folder);
      return [];
    }
  }

  #add(path: RawPath, entry: InventoryEntry): void {
    if (this.entries.size >= ENTRIES_MAX) this.notSeen.add(path);
    else this.entries.set(textOf(path), entry);
  }
}

/** Bounds for a repository that an agent filled; what is beyond them is listed as not seen. */
const ENTRIES_MAX = 2_000;
const FOLDER_ENTRIES_MAX = 1_000;
const SHOWN_MAX = 5;
const ANYBODY_EXECUTES = 0o111;

/** A `commondir` that changes nothing: the sandbox of another run holds the name with it. */
const NAMES_ITSELF = '.\n';

/** Files of a git folder that lead git elsewhere, or that it continues from. */
const OBEYED_FILES: readonly (readonly [string, string])[] = [
  ['commondir', 'it makes git use the configuration and hooks of another folder'],
  ['objects/info/alternates', 'git reads objects from the folders that it names'],
  ['rebase-merge/git-rebase-todo', 'git rebase --continue executes it'],
  ['rebase-merge/strategy', 'git rebase --continue runs the strategy that it names'],
  ['rebase-apply/next', 'git rebase --continue and git am --continue resume there'],
  ['sequencer/todo', 'git cherry-pick --continue and git revert --continue execute it'],
  ['sequencer/opts', 'git cherry-pick --continue and git revert --continue obey it'],
];

function statsOf(path: RawPath) {
  try {
    return lstatSync(bytesOf(path));
  } catch {
    // Absent, or below a folder that cannot be entered, which is listed as not seen.
    return null;
  }
}

function readText(path: RawPath): string | null {
  return readPlainFile(bytesOf(path), GIT_TEXT_BYTES_MAX);
}

function realFile(path: RawPath): RawPath | null {
  try {
    return realpathSync(bytesOf(path), 'latin1');
  } catch {
    // It leads nowhere.
    return null;
  }
}

function markOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
