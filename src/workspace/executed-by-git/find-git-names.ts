import { readdirSync } from 'node:fs';
import { nextTurn } from '../../platform/timer.ts';

/** A report names the folders beyond. */
const FOLDERS_MAX = 250_000;
const FOLDERS_AT_ONCE = 250;

/** A path as bytes, one character a byte: not every name is text. */
export type RawPath = string;

export function rawPath(path: string): RawPath {
  return Buffer.from(path, 'utf8').toString('latin1');
}

export function bytesOf(path: RawPath): Buffer {
  return Buffer.from(path, 'latin1');
}

export function textOf(path: RawPath): string {
  return bytesOf(path).toString('utf8');
}

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
  for (let seen = 0; waiting.length > 0; seen += 1) {
    if (seen >= FOLDERS_MAX) return { ...found, notSeen: [...found.notSeen, ...waiting] };
    // Others wait for this process while it searches.
    if (seen % FOLDERS_AT_ONCE === 0) await new Promise<void>(nextTurn);
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
  const marks = new Set<string>();
  for (const entry of readFolder(folder, found.notSeen)) {
    const { name } = entry;
    const path = folder === '/' ? `/${name}` : `${folder}/${name}`;
    if (GIT.test(name)) found.entries.push(path);
    else if (entry.isDirectory()) {
      if (!skip.has(path)) waiting.push(path);
    } else if (name === '.gitignore') found.ignoreFiles.push(path);
    else if (name === '.gitattributes') found.attributeFiles.push(path);
    if (REPOSITORY_MARKS.has(name)) marks.add(name);
  }
  const hasObjects = marks.has('commondir') || (marks.has('objects') && marks.has('refs'));
  if (marks.has('HEAD') && hasObjects) found.folders.push(folder);
}

/** Some disks do not tell small letters from large ones. */
const GIT = /^\.git$/i;
/** Git takes a folder with HEAD, objects and refs for a repository; `commondir` names another folder for the last two. */
const REPOSITORY_MARKS: ReadonlySet<string> = new Set(['HEAD', 'objects', 'refs', 'commondir']);

function readFolder(folder: RawPath, notSeen: RawPath[]) {
  try {
    return readdirSync(bytesOf(folder), { withFileTypes: true, encoding: 'latin1' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Gone, or a file: there is nothing to search.
    if (code !== 'ENOENT' && code !== 'ENOTDIR') notSeen.push(folder);
    return [];
  }
}
