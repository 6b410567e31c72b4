import { join } from 'node:path';
import { isWithin } from '../domain/work/path-text.ts';
import type { Repository } from '../domain/work/repository.ts';
import { realPathOf } from './resolve-path.ts';

/** The git folders of Baton's own for folders that are not in git. */
export function ownFolders(dataFolder: string): string {
  return join(dataFolder, 'travel', 'folders');
}

/** Whether the git folder of a repository is Baton's own: the user's git does not know it. */
export function isOfBaton(dataFolder: string, { gitDir }: Repository): boolean {
  const folders = ownFolders(dataFolder);
  return isWithin(realPathOf(folders, '/') ?? folders, gitDir);
}
