import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { UNRECORDED_FOLDERS_MAX } from '../../domain/limits.ts';
import { inSlices } from '../../platform/timer.ts';
import { git, splitAtNul } from '../git.ts';
import { submoduleNames } from './index-entries.ts';
import type { PrivateRepository } from './private-repository.ts';

/** Parts of a workspace that no commit can hold, each with a slash at its end and one character a byte. */
export interface UnrecordedFiles {
  /** Submodules that are checked out, and other repositories. */
  readonly repositories: readonly string[];
  /** Folders without any file or folder in them; of very many, some. */
  readonly emptyFolders: readonly string[];
}

const SLASH = 0x2f;

/** Finds nested repositories and empty folders. Folders that git ignores are not entered. */
export async function findUnrecorded(own: PrivateRepository): Promise<UnrecordedFiles> {
  const { workTree } = own.place;
  const args = ['ls-files', '--others', '--directory', '--exclude-standard', '-z'];
  const { stdout } = await git(own.place, { args });
  const folders = [...splitAtNul(stdout)]
    .filter((name) => name.at(-1) === SLASH)
    .map((name) => name.toString('latin1'));
  const index = existsSync(own.indexFile) ? readFileSync(own.indexFile) : null;
  const submodules = index === null ? [] : submoduleNames(index, own.objectBytes);
  const checkedOut = submodules
    .map((name) => `${name.toString('latin1')}/`)
    .filter((name) => entriesIn(workTree, name).some((entry) => entry.name === '.git'));
  const found = await searchBelow(workTree, folders);
  return { repositories: [...checkedOut, ...found.repositories], emptyFolders: found.emptyFolders };
}

async function searchBelow(root: string, folders: readonly string[]) {
  const repositories: string[] = [];
  const emptyFolders: string[] = [];
  const waiting = [...folders];
  const sliceEnd = inSlices();
  for (let seen = 0; waiting.length > 0 && seen < UNRECORDED_FOLDERS_MAX; seen += 1) {
    await sliceEnd();
    const folder = waiting.pop() ?? '';
    const entries = entriesIn(root, folder);
    if (entries.length === 0) emptyFolders.push(folder);
    else if (entries.some(({ name }) => name === '.git')) repositories.push(folder);
    else waiting.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder + name}/`));
  }
  return { repositories: repositories.sort(), emptyFolders: emptyFolders.sort() };
}

function entriesIn(root: string, folder: string) {
  try {
    const path = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(folder, 'latin1')]);
    return readdirSync(path, { withFileTypes: true, encoding: 'latin1' });
  } catch {
    // Gone meanwhile, or closed to this user: it counts as one that is not empty.
    return [{ name: '', isDirectory: () => false }];
  }
}
