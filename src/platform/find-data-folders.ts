import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isWithin } from '../domain/path-text.ts';
import { type AskedName, namesIn } from './folder-names.ts';
import { type RawPath, rawPath, textOf } from './raw-path.ts';
import { realPathAsFar } from './real-path.ts';
import { inSlices } from './timer.ts';

export interface DataFolders {
  /** Real paths. */
  readonly folders: readonly string[];
  /** False if the search ended at its limit. */
  readonly isWhole: boolean;
}

/** Folders of a grant that are searched; those in the list of this machine need no search. */
const SEARCHED_MAX = 4_000;
/** Any of these files makes a folder a data folder, whatever its name. */
const MARKS: readonly AskedName[] = ['ledger.sqlite', 'lock.sqlite', 'node.key'];
const NAME = '.baton';
/** Packages of others, and git's own files: hundreds of folders each, and nobody's data folder. */
const SKIPPED = ['node_modules', '.git'];

/** Finds the data folders in some folders: those in the list of this machine, and those that look like one. */
export async function findDataFolders(roots: readonly string[], known: readonly string[]): Promise<DataFolders> {
  const found = known
    .map(realPathAsFar)
    .filter((path) => existsSync(path) && roots.some((root) => isWithin(root, path)));
  let level = roots.filter((root) => !roots.some((other) => other !== root && isWithin(other, root))).map(rawPath);
  const sliceEnd = inSlices();
  let searched = 0;
  while (level.length > 0) {
    const next: RawPath[] = [];
    for (const folder of level) {
      searched += 1;
      if (searched > SEARCHED_MAX) return { folders: [...new Set(found)], isWhole: false };
      await sliceEnd();
      const { isDataFolder, below } = lookInto(folder);
      if (isDataFolder) found.push(textOf(folder));
      else for (const name of below) next.push(`${folder === '/' ? '' : folder}/${name}`);
    }
    level = next;
  }
  return { folders: [...new Set(found)], isWhole: true };
}

function lookInto(folder: RawPath): { readonly isDataFolder: boolean; readonly below: readonly string[] } {
  try {
    const { folders, others } = namesIn(folder);
    const isDataFolder =
      folder.endsWith(`/${NAME}`) || MARKS.some((name) => others.includes(name) || folders.includes(name));
    return { isDataFolder, below: folders.filter((name) => !SKIPPED.includes(name)) };
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
