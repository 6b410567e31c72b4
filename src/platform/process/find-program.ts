import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { isWithin } from '../../domain/work/path-text.ts';

/** Without relative folders (`.` or an empty entry): those would be programs of whatever folder a process is in. */
export function absoluteFolders(path: string): string {
  return path.split(delimiter).filter(isAbsolute).join(delimiter);
}

interface Candidate {
  readonly file: string;
  readonly realFile: string;
}

const SUFFIXES = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
const known = new Map<string, readonly Candidate[]>();
let folders: { readonly path: string; readonly real: readonly (readonly [name: string, real: string])[] } | null = null;

/**
 * Finds one of Baton's own tools on the PATH of this process, by its absolute path. A program inside the folder that it
 * will work on is passed over: an agent may have written it. The PATH is searched once a program.
 */
export function findProgram(name: string, workFolder: string): string | null {
  if (isAbsolute(name)) return name;
  const folder = realpathOf(workFolder) ?? workFolder;
  const isOutside = ({ file, realFile }: Candidate) => !isWithin(folder, file) && !isWithin(folder, realFile);
  return candidatesFor(name).find((candidate) => folder === '/' || isOutside(candidate))?.file ?? null;
}

/** The PATH for such a tool: the same folders are passed over. */
export function pathFor(workFolder: string): string {
  const path = absoluteFolders(process.env.PATH ?? '');
  if (folders?.path !== path) {
    folders = { path, real: path.split(delimiter).map((each) => [each, realpathOf(each) ?? each] as const) };
  }
  const root = realpathOf(workFolder) ?? workFolder;
  const passed = folders.real.filter(([name, real]) => root === '/' || !(isWithin(root, name) || isWithin(root, real)));
  return passed.map(([name]) => name).join(delimiter);
}

function candidatesFor(name: string): readonly Candidate[] {
  const path = absoluteFolders(process.env.PATH ?? '');
  const key = `${name}\n${path}`;
  const found = known.get(key) ?? path.split(delimiter).flatMap((folder) => programsIn(folder, name));
  // Without an entry the program may be installed meanwhile.
  if (found.length > 0) known.set(key, found);
  return found;
}

function programsIn(folder: string, name: string): Candidate[] {
  return SUFFIXES.flatMap((suffix) => {
    const file = join(folder, `${name}${suffix}`);
    const realFile = isProgram(file) ? realpathOf(file) : null;
    return realFile === null ? [] : [{ file, realFile }];
  });
}

/** Whether a path leads to a file that this user may execute. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Absent, or not executable.
    return false;
  }
}

function realpathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    // Absent.
    return null;
  }
}
