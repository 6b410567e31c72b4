import { existsSync, readFileSync } from 'node:fs';
import { UNRECORDED_FOLDERS_MAX, WORKSPACE_FOLDERS_MAX } from '../../domain/limits.ts';
import { namesIn } from '../../platform/files/folder-names.ts';
import { type RawPath, rawPath } from '../../platform/files/raw-path.ts';
import { inSlices } from '../../platform/timer.ts';
import { hasFilesBelow, submoduleNames } from './index-entries.ts';
import type { PrivateRepository } from './private-repository.ts';

/** Parts of a workspace that no commit can hold, each with a slash at its end and one character a byte. */
export interface UnrecordedFiles {
  /** Submodules that are checked out, and other repositories. */
  readonly repositories: readonly string[];
  /** Folders without any file or folder in them; of very many, some. */
  readonly emptyFolders: readonly string[];
}

/**
 * Finds nested repositories and empty folders. Folders that git ignores are not entered. A folder that did not change since an
 * earlier search is not read again, so this costs a fraction of `git ls-files --others --directory`.
 */
export async function findUnrecorded(own: PrivateRepository, ignored: readonly Buffer[]): Promise<UnrecordedFiles> {
  const root = rawPath(own.place.workTree);
  const skipped = new Set(ignored.map((name) => name.toString('latin1')));
  const tracked = trackedIn(own);
  const repositories: string[] = [];
  const emptyFolders: string[] = [];
  const waiting = namesBelow(root, '').folders;
  const sliceEnd = inSlices();
  for (let seen = 0; waiting.length > 0 && seen < WORKSPACE_FOLDERS_MAX; seen += 1) {
    await sliceEnd();
    const folder = waiting.pop() ?? '';
    if (skipped.has(folder)) continue;
    const { folders, isEmpty, isRepository } = namesBelow(root, folder);
    if (isRepository && !tracked.hasFilesOf(folder)) repositories.push(folder);
    else if (!isEmpty) waiting.push(...folders);
    // The folder of a submodule that is not checked out is empty, and git's own.
    else if (emptyFolders.length < UNRECORDED_FOLDERS_MAX && !tracked.isSubmodule(folder)) emptyFolders.push(folder);
  }
  return { repositories: repositories.sort(), emptyFolders: emptyFolders.sort() };
}

function namesBelow(root: RawPath, folder: string) {
  try {
    const { folders, others, isEmpty } = namesIn(`${root}/${folder}`.slice(0, -1));
    const inner = folders.filter((name) => name !== '.git').map((name) => `${folder}${name}/`);
    return { folders: inner, isEmpty, isRepository: inner.length < folders.length || others.includes('.git') };
  } catch {
    // Gone meanwhile, or closed to this user: it counts as one that is not empty.
    return { folders: [], isEmpty: false, isRepository: false };
  }
}

/** Answers from the index, which is read for the first question. */
function trackedIn({ indexFile, objectBytes }: PrivateRepository) {
  let read: Buffer | null = null;
  const index = () => {
    read ??= existsSync(indexFile) ? readFileSync(indexFile) : Buffer.alloc(0);
    return read;
  };
  const nameOf = (folder: string) => Buffer.from(folder, 'latin1').subarray(0, -1);
  return {
    /** Git records such files, although their folder is a repository, too. */
    hasFilesOf: (folder: string) => index().length > 0 && hasFilesBelow(index(), objectBytes, nameOf(folder)),
    isSubmodule: (folder: string) =>
      index().length > 0 && submoduleNames(index(), objectBytes).some((name) => name.equals(nameOf(folder))),
  };
}
