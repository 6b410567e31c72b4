import { basename, dirname, join } from 'node:path';
import { PATH_LINKS_MAX } from '../../domain/limits.ts';
import { isWithin } from '../../domain/work/path-text.ts';
import { isOfSystem, isPrivatePlace } from '../../domain/work/private-places.ts';
import { isProgram } from '../../platform/process/find-program.ts';
import { type FoundProgram, installedFolders, mayShow, type ProgramPlaces } from './installed-folder.ts';
import { isFile, isFolder, linkTarget, readFileHead, realPath } from './look-at-file.ts';
import { scriptImports } from './script-imports.ts';

/** Programs that start one another: a shim, a script, its interpreter. */
const PROGRAM_STEPS_MAX = 5;

/** The paths that a sandbox shows for a program, read-only, beside the folders of the system. */
export interface ProgramFiles {
  /** Real paths. */
  readonly paths: readonly string[];
  /** Names by which the program or its interpreter is reached. */
  readonly links: readonly { readonly at: string; readonly target: string }[];
}

/**
 * Finds the files that a program needs to start: the package, environment or installation that it is part of, else the
 * file alone with the code that it imports; the same for its interpreter and for a program that it only passes control
 * to. Never a home, a folder above one, or a place where secrets are kept.
 */
export function programFiles(file: string, places: ProgramPlaces): ProgramFiles {
  const paths = new Set<string>();
  const links = new Map<string, string>();
  const seen = new Set<string>();
  let waiting = [file];
  for (let step = 0; step < PROGRAM_STEPS_MAX && waiting.length > 0; step += 1) {
    const next: string[] = [];
    for (const name of waiting) {
      if (seen.has(name)) continue;
      seen.add(name);
      const real = realPath(name);
      if (real === null || isPrivatePlace(real, places.homes)) continue;
      for (const { at, target } of linksTo(name)) links.set(at, target);
      for (const path of ownPathsOf({ name, real, isFollowed: step > 0 }, places)) paths.add(path);
      next.push(...startedBy(real, places.path));
    }
    waiting = next;
  }
  return shorten([...paths], links);
}

function ownPathsOf(program: FoundProgram, places: ProgramPlaces): readonly string[] {
  const manager = managerOf(program, places);
  const folders = installedFolders(program, places);
  if (folders.length > 0) return [...manager, ...folders];
  return [...manager, program.real, ...scriptImports(program.real, places)];
}

/** Every link on the way to a file, each with the real path behind it. */
function linksTo(name: string): { readonly at: string; readonly target: string }[] {
  const found: { readonly at: string; readonly target: string }[] = [];
  let path = name;
  for (let count = 0; count < PATH_LINKS_MAX; count += 1) {
    const link = firstLink(path);
    if (link === null) return found;
    const target = realPath(link.at);
    if (target === null) return found;
    found.push({ at: link.at, target });
    path = join(link.target, path.slice(link.at.length));
  }
  return found;
}

/** The first part of a path that is a link, and the path that it names. */
function firstLink(path: string): { readonly at: string; readonly target: string } | null {
  const parts = path.split('/').filter(Boolean);
  for (let count = 1; count <= parts.length; count += 1) {
    const at = `/${parts.slice(0, count).join('/')}`;
    const target = linkTarget(at);
    if (target !== null) return { at, target: target.startsWith('/') ? target : join(dirname(at), target) };
  }
  return null;
}

/** Drops what the system's folders or a wider path show already. */
function shorten(paths: readonly string[], links: ReadonlyMap<string, string>): ProgramFiles {
  const own = paths.filter((path) => !isOfSystem(path));
  const outermost = own.filter((path) => !own.some((other) => other !== path && isWithin(other, path)));
  const isShown = (at: string) => isOfSystem(at) || outermost.some((path) => isWithin(path, at));
  const named = [...links].map(([at, target]) => ({ at, target })).filter(({ at }) => !isShown(at));
  // A link inside of a link's folder exists already, by the folder that the outer one leads to.
  return {
    paths: outermost,
    links: named.filter(({ at }) => !named.some((one) => one.at !== at && isWithin(one.at, at))),
  };
}

/** Version managers whose shims choose among the programs that they installed in their own folder. */
const MANAGERS = ['asdf', 'pyenv', 'rbenv', 'nodenv', 'goenv', 'jenv', 'plenv', 'phpenv', 'mise', 'rtx'];

/** The folder of the version manager behind a shim: known by its name or its program, not by its subfolders alone. */
function managerOf({ name, real }: FoundProgram, places: ProgramPlaces): readonly string[] {
  const folder = dirname(dirname(name));
  if (!mayShow(folder, places)) return [];
  if (basename(real) === 'volta-shim' && isFolder(join(folder, 'tools'))) return [folder];
  const isShim =
    basename(dirname(name)) === 'shims' && ['versions', 'installs'].some((each) => isFolder(join(folder, each)));
  if (!isShim || !isManager(folder)) return [];
  const chosen = places.homes.map((home) => join(home, '.tool-versions')).filter(isFile);
  return [folder, ...chosen];
}

function isManager(folder: string): boolean {
  const programs = MANAGERS.flatMap((manager) => [join(folder, 'bin', manager), join(folder, 'libexec', manager)]);
  return MANAGERS.includes(basename(folder).replace(/^\./, '')) || programs.some(isProgram);
}

/** The kernel reads no more of a script to find its interpreter. */
const FIRST_LINE_BYTES_MAX = 256;
const SHELL = /\/(?:ba|da|z|k|a)?sh$|\/fish$/;

/** The programs that a script starts: the interpreter of its first line, and those that a shell script passes control to. */
function startedBy(real: string, path: string): readonly string[] {
  const text = readFileHead(real);
  const line = /^#![ \t]*([^\r\n]+)/.exec(text ?? '')?.[1];
  if (!text || !line) return [];
  const [interpreter = '', ...words] = line.trim().split(/\s+/);
  const isEnv = /\/env$/.test(interpreter);
  // env -S splits the words itself; assignments and options come before the name.
  const name = isEnv ? words.find((word) => !word.startsWith('-') && !word.includes('=')) : interpreter;
  const found = name === undefined ? null : locate(name, path);
  const isShell = SHELL.test(`/${name}`);
  return [...(found === null ? [] : [found]), ...(isShell ? passedOn(text, real, path) : [])];
}

/** The reason why a script cannot start: its interpreter. Null for one that can, and for any other program. */
export function interpreterProblem(file: string, path: string): string | null {
  const line = /^#![ \t]*([^\n]+)/.exec(readFileHead(file, FIRST_LINE_BYTES_MAX) ?? '')?.[1];
  if (line === undefined || !/^\/\S/.test(line)) return null;
  if (line.endsWith('\r')) return 'its first line ends with a carriage return (CRLF), so no interpreter is found';
  const [interpreter = '', first = '', second = ''] = line.trim().split(/\s+/);
  if (!isProgram(interpreter)) return `its interpreter ${interpreter} was not found`;
  const name = /\/env$/.test(interpreter) ? (first === '-S' ? second : first) : '';
  // Options and assignments of env come before the name: then only env knows which word it is.
  if (!/^[\w.+][\w.+-]*$/.test(name) || locate(name, path) !== null) return null;
  return `its interpreter ${name} was not found on the PATH`;
}

/** Commands of a shell script: `exec PROGRAM`, a line that begins with a path, and files beside the script itself. */
function passedOn(text: string, real: string, path: string): string[] {
  const lines = text.split('\n').filter((line) => !/^\s*#/.test(line));
  return lines.flatMap((line) => {
    const started = /^\s*(?:exec\s+(?:-\S+\s+)*)?["']?([^\s"']+)/.exec(line)?.[1] ?? '';
    const isCommand = /^\s*exec\s/.test(line) || started.startsWith('/');
    const program = isCommand ? locate(started, path) : null;
    return [...(program === null ? [] : [program]), ...besideItself(line, dirname(real))];
  });
}

/** npm, pnpm and their kin write scripts that start a file by its place relative to the script. */
const BESIDE = /(?:\$\{?basedir\}?|\$\(dirname [^()]{0,200}\)|\$\{0%\/\*\})"?\/([^"'\s;)]+)/g;

function besideItself(line: string, folder: string): string[] {
  const files = [...line.matchAll(BESIDE)].map(([, rest = '']) => join(folder, rest));
  return files.filter((file) => isProgram(file) || (isFile(file) && /\.[cm]?js$|\.py$/.test(realPath(file) ?? '')));
}

/** Only what can be started: a file that is no program may be anybody's secret. */
function locate(name: string, path: string): string | null {
  if (name.startsWith('/')) return isProgram(name) ? name : null;
  if (name.includes('/') || !/^[\w.+-]+$/.test(name)) return null;
  const folders = path.split(':').filter((folder) => folder.startsWith('/'));
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}
