import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../../domain/work/repository.ts';
import { type GitPlace, git, splitAtNul } from '../git.ts';
import { dependencyFolders } from './dependency-folders.ts';

/**
 * The folders of dependencies in the user's checkout that a worktree gets to see, for reading only: git ignores them, and
 * neither the commit, `worktree.include` nor the setup gave it such a folder. Each gets an empty folder to be mounted on.
 */
export async function shareDependencies({ root }: Repository, worktree: string): Promise<readonly string[]> {
  const there = dependencyFolders(root).filter(({ isThere }) => isThere);
  const wanted = there.map(({ path }) => path).filter((path) => !isPresent(join(worktree, path)));
  const shared = wanted.length === 0 ? [] : await ignoredOf(worktree, wanted);
  for (const path of shared) mkdirSync(join(worktree, path), { recursive: true });
  return shared;
}

async function ignoredOf(worktree: string, paths: readonly string[]): Promise<readonly string[]> {
  const place: GitPlace = {
    gitDir: join(worktree, '.git'),
    workTree: worktree,
    env: { GIT_LITERAL_PATHSPECS: undefined },
  };
  // With a slash: a rule may be about folders alone.
  const input = Buffer.from(paths.map((path) => `./${path}/\0`).join(''));
  const call = { args: ['check-ignore', '--no-index', '-z', '--stdin'], input, exitCodes: [0, 1] };
  const { stdout } = await git(place, call);
  return [...splitAtNul(stdout)].map((name) => name.toString('utf8').slice(2).replace(/\/$/, ''));
}

function isPresent(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
