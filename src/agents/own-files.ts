import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isWithin } from '../domain/path-text.ts';

export interface CommandPlaces {
  /** Base of relative paths in the configuration: the git root, or the folder beside the data folder. */
  readonly root: string;
  /** The user's home. */
  readonly home: string;
}

export interface OwnFiles {
  /** The command with its own files by their absolute paths, so that it may start in any folder. */
  readonly command: readonly string[];
  /** Paths that a sandbox must show for it. */
  readonly ownPaths: readonly string[];
}

/** Finds the files of a configured command: the program if it is named by a path, and the script it runs. */
export function ownFiles(command: readonly string[], { root, home }: CommandPlaces): OwnFiles {
  const [name = '', ...others] = command;
  const program = name.includes('/') ? resolve(root, name) : name;
  const scriptAt = others.findIndex((word) => !word.startsWith('-'));
  const named = resolve(root, others[scriptAt] ?? '');
  // A grant has real paths only, so a script runs by its real path. The sandbox shows the link of a program itself.
  const script = isFile(named) ? realpathSync(named) : null;
  const args = others.map((word, at) => (script !== null && at === scriptAt ? script : word));
  const files = [isAbsolute(program) ? program : null, script].filter((file) => file !== null && isFile(file));
  return { command: [program, ...args], ownPaths: [...new Set(files.flatMap((file) => shownFor(file ?? '', home)))] };
}

/** A program is rarely one file alone: its folder, or the tree it was installed to, is shown with it. */
function shownFor(file: string, home: string): string[] {
  const real = realpathSync(file);
  const folder = dirname(real);
  const installed = basename(folder) === 'bin' && existsSync(join(dirname(folder), 'lib')) ? dirname(folder) : folder;
  // Never a whole home folder, or anything above it.
  const shown = [installed, folder, real].find((path) => !isWithin(path, home) && path !== join(home, '.local'));
  return [shown ?? real];
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
