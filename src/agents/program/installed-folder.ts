import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { COMMAND_PACKAGE_LEVELS_MAX } from '../../domain/process-limits.ts';
import { isWithin } from '../../domain/work/path-text.ts';
import { holdsHome, isPrivateName, isPrivatePlace } from '../../domain/work/private-places.ts';
import { isFile, isFolder, readFileHead, realPath } from './look-at-file.ts';

export interface ProgramPlaces {
  /** The homes of the user, by name and by real path. */
  readonly homes: readonly string[];
  /** The PATH on which interpreters are searched. */
  readonly path: string;
  /** The folder that the program starts in: no folder above it is shown, since the order may grant only a part of it. */
  readonly cwd: string | null;
}

/** How a program was found. */
export interface FoundProgram {
  /** The path that it is called by. */
  readonly name: string;
  readonly real: string;
  /** Another program's text names it: that text may be anybody's, so it shows no package in which people work. */
  readonly isFollowed: boolean;
}

/** The folders of the package, Python environment or installation that a program is part of; none if it stands alone. */
export function installedFolders(program: FoundProgram, places: ProgramPlaces): readonly string[] {
  const { name, real } = program;
  const whole = [packageOf(program), environmentOf(name), environmentOf(real), installationOf(real)];
  const folders = whole.flatMap((folder) => (folder !== null && mayShow(folder, places) ? [folder] : []));
  if (folders.length === 0) return [];
  return [
    ...folders,
    ...folders.flatMap(neededModules).filter((folder) => mayShow(folder, places)),
    ...libraries(real),
  ];
}

/** Whether a folder may be shown as a whole. */
export function mayShow(folder: string, { homes, cwd }: ProgramPlaces): boolean {
  const isTooWide = folder === '/' || holdsHome(folder, homes) || (cwd !== null && isWithin(folder, cwd));
  return !isTooWide && !isPrivatePlace(folder, homes) && !namesIn(folder).some(isPrivateName);
}

interface Manifest {
  readonly name?: unknown;
  readonly bin?: unknown;
  readonly dependencies?: unknown;
  readonly optionalDependencies?: unknown;
  readonly peerDependencies?: unknown;
}

/**
 * The nearest package that names the program in its `bin`, under the name that it is called by, or that npm installed
 * under its own name. A package.json that happens to lie above a program makes it no package.
 */
function packageOf({ name, real, isFollowed }: FoundProgram): string | null {
  const folder = manifestFolder(real);
  const manifest = folder === null ? null : manifestOf(folder);
  if (folder === null || manifest === null) return null;
  const isInstalled = typeof manifest.name === 'string' && folder.endsWith(`/node_modules/${manifest.name}`);
  const isNamed = binsOf(manifest).some(
    ([command, file]) => realPath(resolve(folder, file)) === real && (name === real || basename(name) === command),
  );
  return isInstalled || (isNamed && !isFollowed) ? folder : null;
}

/** The nearest folder above a file with a package.json. */
export function manifestFolder(file: string): string | null {
  let folder = dirname(file);
  for (let level = 0; level < COMMAND_PACKAGE_LEVELS_MAX && folder !== '/'; level += 1) {
    if (isFile(join(folder, 'package.json'))) return folder;
    folder = dirname(folder);
  }
  return null;
}

function manifestOf(folder: string): Manifest | null {
  try {
    const value: unknown = JSON.parse(readFileHead(join(folder, 'package.json')) ?? '');
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    // No JSON: no package.
    return null;
  }
}

function binsOf({ name, bin }: Manifest): readonly (readonly [command: string, file: string])[] {
  if (typeof bin === 'string') return [[basename(String(name)), bin]];
  if (typeof bin !== 'object' || bin === null) return [];
  return Object.entries(bin).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

/** The outermost node_modules above a package, if a dependency of the package is not in the package itself. */
function neededModules(folder: string): readonly string[] {
  const manifest = manifestOf(folder);
  const end = folder.indexOf('/node_modules/');
  if (manifest === null || end === -1) return [];
  const wanted = [manifest.dependencies, manifest.optionalDependencies, manifest.peerDependencies].flatMap((list) =>
    typeof list === 'object' && list !== null ? Object.keys(list) : [],
  );
  const isMissing = wanted.some((name) => !isFolder(join(folder, 'node_modules', name)));
  return isMissing ? [`${folder.slice(0, end)}/node_modules`] : [];
}

/** The virtual environment of Python whose `bin` the program lies in. */
function environmentOf(file: string): string | null {
  const folder = dirname(dirname(file));
  return basename(dirname(file)) === 'bin' && isFile(join(folder, 'pyvenv.cfg')) ? realPath(folder) : null;
}

const TREE =
  /^(s?bin|lib(32|64|exec)?|include|share|man|doc|docs|conda-meta|ssl|cmake|package\.json|[A-Z][A-Z._-]+(\.(md|txt|rst))?)$/;

/** A tree that holds one installed program: `bin` and `lib` side by side, and nothing that is no part of such a tree. */
function installationOf(real: string): string | null {
  const folder = dirname(dirname(real));
  if (basename(dirname(real)) !== 'bin' || basename(folder) === '.local') return null;
  const names = namesIn(folder);
  return names.includes('lib') && names.every((name) => TREE.test(name)) ? folder : null;
}

/** The library of an interpreter, and of the scripts that were installed beside it for the user alone. */
export function libraries(real: string): readonly string[] {
  const folder = join(dirname(dirname(real)), 'lib');
  if (basename(dirname(real)) !== 'bin') return [];
  return namesIn(folder)
    .filter((name) => /^(python\d[\d.]*|libpython.*|ruby|perl5)$/.test(name))
    .map((name) => join(folder, name));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Absent or unreadable.
    return [];
  }
}
