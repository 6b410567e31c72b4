import { WORKSPACE_FOLDERS_MAX } from '../../domain/limits.ts';
import { type AskedName, type FolderNames, namesIn } from '../../platform/files/folder-names.ts';
import { type RawPath, rawPath } from '../../platform/files/raw-path.ts';
import { inSlices } from '../../platform/timer.ts';

/** Names below some folders that mean something to git. */
export interface GitNames {
  /** Every entry named `.git`: a folder, a file or a link. */
  readonly entries: readonly RawPath[];
  /** Folders that git takes for a repository although they have another name. */
  readonly folders: readonly RawPath[];
  readonly ignoreFiles: readonly RawPath[];
  readonly attributeFiles: readonly RawPath[];
  /** Folders that could not be read, or that are beyond the limit. */
  readonly notSeen: readonly RawPath[];
}

/** Searches folders to any depth; follows no link and enters no `.git`. */
export async function findGitNames(roots: readonly string[], skipped: readonly string[]): Promise<GitNames> {
  const found = { entries: [], folders: [], ignoreFiles: [], attributeFiles: [], notSeen: [] } satisfies GitNames;
  const skip = new Set(skipped.map(rawPath));
  const waiting = roots.map(rawPath).reverse();
  const sliceEnd = inSlices();
  for (let seen = 0; waiting.length > 0; seen += 1) {
    // A report names the folders beyond.
    if (seen >= WORKSPACE_FOLDERS_MAX) return { ...found, notSeen: [...found.notSeen, ...waiting] };
    await sliceEnd();
    searchFolder(waiting.pop() ?? '', { found, waiting, skip });
  }
  return found;
}

interface Search {
  readonly found: { readonly [Kind in keyof GitNames]: RawPath[] };
  readonly waiting: RawPath[];
  readonly skip: ReadonlySet<RawPath>;
}

function searchFolder(folder: RawPath, { found, waiting, skip }: Search): void {
  const { folders, others } = readFolder(folder, found.notSeen);
  const prefix = folder === '/' ? '/' : `${folder}/`;
  for (const name of folders) {
    const path = prefix + name;
    if (isGit(name)) found.entries.push(path);
    else if (!skip.has(path)) waiting.push(path);
  }
  for (const name of others) {
    if (isGit(name)) found.entries.push(prefix + name);
    else if (name === '.gitignore') found.ignoreFiles.push(prefix + name);
    else if (name === '.gitattributes') found.attributeFiles.push(prefix + name);
  }
  if (isRepository([...folders, ...others])) found.folders.push(folder);
}

/** Some disks do not tell small letters from large ones. */
function isGit(name: string): boolean {
  return name.length === '.git'.length && name.toLowerCase() === '.git';
}

/** Git takes a folder with HEAD, objects and refs for a repository; `commondir` names another folder for the last two. */
function isRepository(names: readonly string[]): boolean {
  const has = (name: AskedName) => names.includes(name);
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
}

const NO_NAMES: FolderNames = { folders: [], others: [], isEmpty: false };

function readFolder(folder: RawPath, notSeen: RawPath[]): FolderNames {
  try {
    return namesIn(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Gone, or a file: there is nothing to search.
    if (code !== 'ENOENT' && code !== 'ENOTDIR') notSeen.push(folder);
    return NO_NAMES;
  }
}
