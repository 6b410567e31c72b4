import { basename, dirname, join, resolve } from 'node:path';
import { GIT_TEXT_BYTES_MAX } from '../../domain/limits.ts';
import type { Repository } from '../../domain/work/repository.ts';
import { readPlainFile } from '../files/read-plain-file.ts';
import { type GitSetting, readGitConfig } from './read-git-config.ts';

/** The user's own folders: their configuration holds in every repository. */
export interface UserFolders {
  readonly home: string | null;
  /** XDG_CONFIG_HOME. */
  readonly config: string | null;
}

export interface GitSettings {
  /** Files that git reads as configuration, whether they exist or not. */
  readonly files: readonly string[];
  readonly all: readonly GitSetting[];
}

/** Reads the user's configuration and a repository's, with every file that they include under any condition. */
export function readGitSettings(repository: Repository | null, user: UserFolders): GitSettings {
  const own = repository ? [join(repository.commonDir, 'config'), join(repository.gitDir, 'config.worktree')] : [];
  const found = { files: new Set<string>(), all: [] as GitSetting[] };
  for (const file of [...userConfigFiles(user), ...own]) readInto(found, file, { user, depth: 0 });
  return { files: [...found.files], all: found.all };
}

function userConfigFiles(user: UserFolders): readonly string[] {
  const config = userConfigFolder(user);
  return [...(config ? [join(config, 'git', 'config')] : []), ...(user.home ? [join(user.home, '.gitconfig')] : [])];
}

export function userConfigFolder({ home, config }: UserFolders): string | null {
  return config ?? (home && join(home, '.config'));
}

/** As in git. */
const INCLUDE_DEPTH_MAX = 10;

function readInto(
  found: { readonly files: Set<string>; readonly all: GitSetting[] },
  file: string,
  { user, depth }: { readonly user: UserFolders; readonly depth: number },
): void {
  if (found.files.has(file) || depth > INCLUDE_DEPTH_MAX) return;
  found.files.add(file);
  const settings = readGitConfig(readPlainFile(file, GIT_TEXT_BYTES_MAX) ?? '');
  found.all.push(...settings);
  for (const { name, value } of settings) {
    // Conditions may come true later: an agent can switch branches.
    if (!/^include(if\..*)?\.path$/.test(name)) continue;
    readInto(found, resolve(dirname(file), userPath(value, user)), { user, depth: depth + 1 });
  }
}

function userPath(value: string, { home }: UserFolders): string {
  return home !== null && /^~\//.test(value) ? join(home, value.slice(2)) : value;
}

/** A setting whose change makes git run nothing else than before. */
const HARMLESS = [
  /^(branch|user|gc|advice|color|init|push|pull|rerere|status|log|tag|column|lfs|maintenance)\.(?!.*(cmd|command|program)$)/,
  /^remote\..*\.(url|fetch|pushurl|tagopt|prune|mirror)$/,
  /^submodule\..*\.(url|active|branch|ignore)$/,
  /^core\.(bare|filemode|repositoryformatversion|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)$/,
  /^extensions\.(objectformat|refstorage)$/,
];

/** Settings of a file that decide which programs git runs, or which files it obeys. */
export function decisiveSettings(text: string): readonly GitSetting[] {
  return readGitConfig(text).filter(({ name }) => !HARMLESS.some((pattern) => pattern.test(name)));
}

const COMMANDS =
  /^alias\.|^pager\.|\.(cmd|command|driver|textconv|clean|smudge|process|program|helper|vcs|uploadpack|receivepack|fsmonitor|pager|editor|sshcommand|askpass|gitproxy|external|difffilter|packobjectshook|update|tunnel|tocmd|cccmd|headercmd|sendmailcmd|defaultkeycommand|path|httpd)$/;

/** A file of the workspace that a setting makes git run. */
export interface NamedFile {
  readonly path: string;
  readonly setting: string;
}

/** Files that the settings name as commands, or as words of commands; relative to the top of the work tree. */
export function namedCommands({ all }: GitSettings, root: string, user: UserFolders): readonly NamedFile[] {
  return all
    .filter(({ name }) => COMMANDS.test(name) && !/^include/.test(name))
    .flatMap(({ name, value }) => {
      const words = value.replace(/^!/, '').split(/[\s;|&()<>"'`$]+/);
      const paths = words.filter((word) => word !== '' && !word.startsWith('-'));
      return [...new Set(paths)].map((word) => ({ path: resolve(root, userPath(word, user)), setting: name }));
    });
}

/** Folders of hooks that the settings name. Hooks of husky run the files of the folder above theirs. */
export function namedHookFolders({ all }: GitSettings, root: string, user: UserFolders): readonly string[] {
  return all
    .filter(({ name, value }) => name === 'core.hookspath' && value !== '')
    .map(({ value }) => resolve(root, userPath(value, user)))
    .flatMap((folder) => (basename(folder) === '_' ? [folder, dirname(folder)] : [folder]));
}

/** Drivers that the settings define as commands, such as `diff=exif`; git-lfs is the user's own program for large files. */
export function namedDrivers({ all }: GitSettings): ReadonlySet<string> {
  const drivers = all.flatMap(({ name, value }) => {
    const [, kind, driver] =
      /^(filter|diff|merge)\.(.+)\.(clean|smudge|process|textconv|command|driver)$/.exec(name) ?? [];
    return kind === undefined || /^git-lfs\b/.test(value) ? [] : [`${kind}=${driver}`];
  });
  return new Set(drivers);
}
