import { constants, mkdirSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../domain/repository.ts';
import { holdFolderOf } from '../platform/held-folder.ts';
import { git } from './git.ts';
import { objectFiles } from './shadow/intake.ts';
import type { PrivateRepository } from './shadow/private-repository.ts';

export interface GivenCommit {
  readonly commit: string;
  /** A commit that the repository has with all its files; null for none. */
  readonly parent: string | null;
}

/** Whether the repository still has a commit, with its history and files: git removes one that no ref leads to. */
export async function hasWhole({ gitDir, root }: Repository, commit: string): Promise<boolean> {
  const args = ['rev-list', '--objects', '--quiet', commit, '--not', '--all'];
  return (await git({ gitDir, workTree: root }, { args, exitCodes: [0, 1, 128] })).exitCode === 0;
}

/**
 * Copies a commit of Baton's store into the user's repository, with the objects that its parent does not have. Follows no
 * link; false where the repository cannot be written to.
 */
export async function giveCommit(
  own: PrivateRepository,
  { commonDir }: Repository,
  { commit, parent }: GivenCommit,
): Promise<boolean> {
  const packed = join(own.folder, 'given');
  rmSync(packed, { recursive: true, force: true });
  mkdirSync(join(packed, 'pack'), { recursive: true, mode: 0o700 });
  try {
    const known = parent === null ? [] : [`--shallow ${parent}`, `^${parent}`];
    const input = Buffer.from([...known, commit, ''].join('\n'));
    const args = ['pack-objects', '--revs', '--shallow', '-q', '--window=0', join(packed, 'pack', 'pack')];
    await git({ ...own.place, workTree: own.folder }, { args, input });
    return await copyObjects(packed, join(commonDir, 'objects'));
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }
}

async function copyObjects(from: string, to: string): Promise<boolean> {
  for (const name of objectFiles(from)) {
    const held = holdFolderOf(to, Buffer.from(name), { isMade: true });
    if (!held) return false;
    const { folder, last } = held;
    try {
      const draft = folder.at(Buffer.from(`tmp_obj_baton_${last}`));
      await copyFile(join(from, name), draft, constants.COPYFILE_FICLONE);
      renameSync(draft, folder.at(last));
    } catch (error) {
      // The file system refused: the caller tells that the repository cannot be written to.
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      return false;
    } finally {
      folder.close();
    }
  }
  return true;
}
