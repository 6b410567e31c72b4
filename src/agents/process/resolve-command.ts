import { readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { isProgram } from '../../platform/process/find-program.ts';
import { interpreterProblem } from '../program/program-files.ts';
import type { ProcessSpec } from '../sandbox/sandbox.ts';

export type ResolvedCommand =
  | { readonly kind: 'found'; readonly file: string; readonly realFile: string }
  | {
      readonly kind: 'unusable';
      readonly reason: string;
      readonly isMissing: boolean;
      /** A file or a link of its name is there. */
      readonly isPresent: boolean;
    };

/** Finds the program that argv[0] names on the PATH of the process, and checks that it can start in cwd. */
export function resolveCommand({ argv, cwd, env }: Pick<ProcessSpec, 'argv' | 'cwd' | 'env'>): ResolvedCommand {
  const [name] = argv;
  if (!name) return unusable('the command is empty');
  if ([...argv, cwd, ...Object.entries(env).flat()].some((text) => text.includes('\0'))) {
    return unusable('an argument holds a NUL character');
  }
  if (!isAbsolute(cwd) || !isFolder(cwd)) return unusable(`the working folder ${cwd} does not exist`);
  const candidates = name.includes('/') ? [resolve(cwd, name)] : searchPath(name, env.PATH ?? '');
  const file = candidates.find(isProgram);
  if (file !== undefined) return startable(file, env.PATH ?? '');
  const isPresent = candidates.some((each) => exists(each) || targetOf(each) !== null);
  return { kind: 'unusable', reason: whyNone(name, candidates), isMissing: true, isPresent };
}

/** A script without its interpreter is as good as missing: nothing of it ever runs. */
function startable(file: string, path: string): ResolvedCommand {
  const problem = process.platform === 'win32' ? null : interpreterProblem(file, path);
  if (problem === null) return { kind: 'found', file, realFile: realpathSync(file) };
  return { kind: 'unusable', reason: `${file} cannot start: ${problem}`, isMissing: true, isPresent: true };
}

function whyNone(name: string, candidates: readonly string[]): string {
  const present = candidates.find(exists);
  if (present !== undefined) return `${present} is not an executable program (EACCES)`;
  const broken = candidates.find((file) => targetOf(file) !== null);
  if (broken === undefined) return `${name} was not found (ENOENT)`;
  return `${broken} is a link to ${targetOf(broken)}, which is not there (ENOENT)`;
}

function targetOf(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch {
    // No link, or nothing at all.
    return null;
  }
}

function searchPath(name: string, path: string): string[] {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name));
}

function unusable(reason: string): ResolvedCommand {
  return { kind: 'unusable', reason, isMissing: false, isPresent: false };
}

function exists(file: string): boolean {
  return statsOf(file) !== null;
}

function isFolder(path: string): boolean {
  return statsOf(path)?.isDirectory() ?? false;
}

function statsOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    // Absent, below something that is no folder, a loop of links, or a name too long.
    return null;
  }
}
