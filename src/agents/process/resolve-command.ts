import { accessSync, constants, realpathSync, type Stats, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { ProcessSpec } from '../sandbox/sandbox.ts';

export type ResolvedCommand =
  | { readonly kind: 'found'; readonly file: string; readonly realFile: string }
  | { readonly kind: 'unusable'; readonly reason: string };

/** The program that the first word means, by the PATH of the process itself; and whether it can be started where it is to. */
export function resolveCommand({ argv, cwd, env }: Pick<ProcessSpec, 'argv' | 'cwd' | 'env'>): ResolvedCommand {
  const [name] = argv;
  if (!name) return unusable('there is no command');
  if ([...argv, cwd, ...Object.entries(env).flat()].some((text) => text.includes('\0'))) {
    return unusable('an argument holds a NUL character');
  }
  if (!isAbsolute(cwd) || !isFolder(cwd)) return unusable(`there is no folder ${cwd} to run in`);
  const candidates = name.includes('/') ? [resolve(cwd, name)] : searchPath(name, env.PATH ?? '');
  const file = candidates.find(isProgram);
  if (file !== undefined) return { kind: 'found', file, realFile: realpathSync(file) };
  const present = candidates.find(isThere);
  return unusable(present ? `${present} is not a program that may be run (EACCES)` : `${name} is not found (ENOENT)`);
}

function searchPath(name: string, path: string): string[] {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name));
}

function unusable(reason: string): ResolvedCommand {
  return { kind: 'unusable', reason };
}

function isThere(file: string): boolean {
  return look(file) !== null;
}

function isFolder(path: string): boolean {
  return look(path)?.isDirectory() ?? false;
}

function look(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    // Not there, or behind something that is no folder, a loop of links, or a name too long.
    return null;
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not there, or not to be run.
    return false;
  }
}
