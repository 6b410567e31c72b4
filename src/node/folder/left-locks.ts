import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { findRepository } from '../../workspace/find-repository.ts';
import { isGitAtWork } from '../../workspace/git-state/lock-files.ts';
import { readGitState } from '../../workspace/git-state/read-git-state.ts';
import { workspaceRoots } from '../../workspace/shadow/kept-folders.ts';

/** A younger lock may be of a program that is at work. */
const STALE_MS = 10_000;

/** Locks of git in the repositories of a data folder that nobody seems to hold. */
export async function leftLocks(dataFolder: string, nowMs: number): Promise<readonly string[]> {
  const left: string[] = [];
  for (const root of workspaceRoots(join(dataFolder, 'shadows'))) {
    const repository = findRepository(root);
    const locks = repository && (await readGitState(repository))?.state.locks;
    if (!repository || !locks?.length || isGitAtWork(repository)) continue;
    const paths = locks.map((lock) => join(repository.commonDir, lock));
    left.push(
      ...paths.filter((path) => nowMs - (lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? nowMs) > STALE_MS),
    );
  }
  return left;
}
