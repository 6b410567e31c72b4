import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join, parse, resolve } from 'node:path';
import { realPathAsFar } from '../platform/files/real-path.ts';

export interface FolderSources {
  /** --data */
  readonly flag: string | undefined;
  /** BATON_DATA */
  readonly env: string | undefined;
  readonly cwd: string;
  readonly home: string | undefined;
}

export type FolderChoice =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'wrong'; readonly message: string };

/** The named data folder, else .baton at the git root, else .baton here. Never the home folder itself, never `/`. */
export function chooseDataFolder(sources: FolderSources): FolderChoice {
  const named = sources.flag ?? sources.env;
  if (named !== undefined) {
    if (named === '') return { kind: 'wrong', message: 'the data folder has no name' };
    return refuseRoots(resolve(sources.cwd, named), sources.home);
  }
  const root = gitRoot(sources.cwd) ?? sources.cwd;
  const isNoPlace = root === parse(root).root || root === sources.home;
  if (isNoPlace) return { kind: 'wrong', message: `${root} is no place for a data folder` };
  const path = join(root, '.baton');
  // A link in a repository must not lead to the data folder of another one.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    return { kind: 'wrong', message: `${path} is a link: name the folder that is meant` };
  return { kind: 'folder', path: realPathAsFar(path) };
}

/** By its real path: a folder that is named through a link is hidden from agents like any other. */
function refuseRoots(path: string, home: string | undefined): FolderChoice {
  const real = realPathAsFar(path);
  const roots = [parse(path).root, home, home === undefined ? undefined : realPathAsFar(home)];
  if (roots.includes(path) || roots.includes(real))
    return { kind: 'wrong', message: `${path} itself cannot be a data folder` };
  if (existsSync(path) && !statSync(path).isDirectory()) return { kind: 'wrong', message: `${path} is not a folder` };
  return { kind: 'folder', path: real };
}

export function gitRoot(from: string): string | null {
  for (let here = from; ; here = dirname(here)) {
    if (existsSync(join(here, '.git'))) return here;
    if (here === dirname(here)) return null;
  }
}
