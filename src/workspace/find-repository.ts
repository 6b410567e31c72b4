import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { GIT_TEXT_BYTES_MAX } from '../domain/limits.ts';
import type { Repository } from '../domain/work/repository.ts';
import { readPlainFile } from './files/read-plain-file.ts';

/**
 * The repository a folder lies in, or null. Looked for without git, which would read the configuration it finds, and
 * refuse a folder of another user that the person at the keyboard has allowed.
 */
export function findRepository(folder: string): Repository | null {
  if (!existsSync(folder)) return null;
  for (let root = realpathSync(folder); ; root = dirname(root)) {
    const gitDir = gitDirOf(root);
    if (gitDir) return { root, gitDir, commonDir: commonDirOf(gitDir) };
    if (dirname(root) === root) return null;
  }
}

/** For tasks that name no workspace: the repository of the data folder, or the folder beside it. */
export function usualWorkspace(dataFolder: string): string {
  const beside = dirname(dataFolder);
  return findRepository(beside)?.root ?? beside;
}

function gitDirOf(root: string): string | null {
  const path = join(root, '.git');
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return isGitDir(path) ? realpathSync(path) : null;
  if (!stats?.isFile()) return null;
  const named = /^gitdir: (.+?)\r?\n?$/s.exec(readPlainFile(realpathSync(path), GIT_TEXT_BYTES_MAX) ?? '')?.[1];
  if (named === undefined) return null;
  const gitDir = resolve(root, named);
  return isGitDir(gitDir) ? realpathSync(gitDir) : null;
}

function isGitDir(path: string): boolean {
  return existsSync(join(path, 'HEAD')) && existsSync(join(commonDirOf(path), 'objects'));
}

function commonDirOf(gitDir: string): string {
  const named = readPlainFile(join(gitDir, 'commondir'), GIT_TEXT_BYTES_MAX);
  if (named === null) return gitDir;
  const common = resolve(gitDir, named.trim());
  return existsSync(common) ? realpathSync(common) : common;
}
