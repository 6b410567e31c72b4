import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isWithin } from '../domain/path-text.ts';
import { realPathAsFar } from './real-path.ts';

export interface DataFolders {
  /** Real paths. */
  readonly folders: readonly string[];
  /** False if the search ended at its limit. */
  readonly isWhole: boolean;
}

/** Folders of a grant that are searched; those in the list of this machine need no search. */
const SEARCHED_MAX = 4_000;
/** Any of these files makes a folder a data folder, whatever its name. */
const MARKS = ['ledger.sqlite', 'lock.sqlite', 'node.key'];
const NAME = '.baton';
/** Packages of others, and git's own files: hundreds of folders each, and nobody's data folder. */
const SKIPPED = ['node_modules', '.git'];

/** Finds the data folders in some folders: those in the list of this machine, and those that look like one. */
export async function findDataFolders(roots: readonly string[], known: readonly string[]): Promise<DataFolders> {
  const found = known
    .map(realPathAsFar)
    .filter((path) => existsSync(path) && roots.some((root) => isWithin(root, path)));
  let level = roots.filter((root) => !roots.some((other) => other !== root && isWithin(other, root)));
  let searched = 0;
  while (level.length > 0) {
    const next: string[] = [];
    for (const folder of level) {
      searched += 1;
      if (searched > SEARCHED_MAX) return { folders: [...new Set(found)], isWhole: false };
      const { isDataFolder, below } = await lookInto(folder);
      if (isDataFolder) found.push(folder);
      else next.push(...below);
    }
    level = next;
  }
  return { folders: [...new Set(found)], isWhole: true };
}

async function lookInto(
  folder: string,
): Promise<{ readonly isDataFolder: boolean; readonly below: readonly string[] }> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const isDataFolder = basename(folder) === NAME || entries.some(({ name }) => MARKS.includes(name));
    const folders = entries.filter((entry) => entry.isDirectory() && !SKIPPED.includes(entry.name));
    return { isDataFolder, below: folders.map(({ name }) => join(folder, name)) };
  } catch {
    // A file, or unreadable: then an agent of this user cannot read it either.
    return { isDataFolder: false, below: [] };
  }
}

/** The data folder that a path lies in, or is itself; null if there is none. */
export function dataFolderAbove(path: string): string | null {
  for (let folder = path; ; folder = dirname(folder)) {
    if (basename(folder) === NAME || MARKS.some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return null;
  }
}
