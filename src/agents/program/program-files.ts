import { dirname, join } from 'node:path';
import { PATH_LINKS_MAX } from '../../domain/limits.ts';
import { isWithin } from '../../domain/path-text.ts';
import { isOfSystem, isPrivatePlace } from '../../domain/private-places.ts';
import { type FoundProgram, installedFolders, type ProgramPlaces } from './installed-folder.ts';
import { linkTarget, realPath } from './look-at-file.ts';
import { scriptImports } from './script-imports.ts';
import { managerOf } from './shim-folder.ts';
import { startedBy } from './started-by.ts';

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
