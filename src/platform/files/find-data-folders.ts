import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DATA_FOLDER_SEARCH_MS_MAX } from '../../domain/limits.ts';
import { isWithin } from '../../domain/work/path-text.ts';
import { inSlices } from '../timer.ts';
import { type AskedName, namesIn } from './folder-names.ts';
import { type RawPath, rawPath, textOf } from './raw-path.ts';
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
const MARKS: readonly AskedName[] = ['ledger.sqlite', 'lock.sqlite', 'node.key'];
const NAME = '.baton';
/** Packages of others, and git's own files: hundreds of folders each, and nobody's data folder. */
const SKIPPED = ['node_modules', '.git'];

interface Search {
  readonly roots: string;
  readonly found: Promise<DataFolders>;
  readonly startedAtMs: number;
}

let latest: Search | null = null;

/**
 * Finds the data folders in some folders: those in the list of this machine, and those that look like one. The second kind is
 * up to a second old: an order starts right after it was planned, and its first run right after that.
 */
export async function findDataFolders(roots: readonly string[], known: readonly string[]): Promise<DataFolders> {
  const found = known
    .map(realPathAsFar)
    .filter((path) => existsSync(path) && roots.some((root) => isWithin(root, path)));
  const outermost = roots.filter((root) => !roots.some((other) => other !== root && isWithin(other, root)));
  const { folders, isWhole } = await recentSearch([...new Set(outermost)].sort());
  return { folders: [...new Set([...found, ...folders])], isWhole };
}

function recentSearch(roots: readonly string[]): Promise<DataFolders> {
  const key = roots.join('\0');
  const nowMs = performance.now();
  if (latest?.roots === key && nowMs - latest.startedAtMs < DATA_FOLDER_SEARCH_MS_MAX) return latest.found;
  latest = { roots: key, found: searchFolders(roots), startedAtMs: nowMs };
  return latest.found;
}

async function searchFolders(roots: readonly string[]): Promise<DataFolders> {
  const found: string[] = [];
  const sliceEnd = inSlices();
  let level = roots.map(rawPath);
  let searched = 0;
  while (level.length > 0) {
    const next: RawPath[] = [];
    for (const folder of level) {
      searched += 1;
      if (searched > SEARCHED_MAX) return { folders: found, isWhole: false };
      await sliceEnd();
      const { isDataFolder, below } = lookInto(folder);
      if (isDataFolder) found.push(textOf(folder));
      else for (const name of below) next.push(`${folder === '/' ? '' : folder}/${name}`);
    }
    level = next;
  }
  return { folders: found, isWhole: true };
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
