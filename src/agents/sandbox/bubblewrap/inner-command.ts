import { existsSync, readFileSync } from 'node:fs';
import { SANDBOX_FILE_BYTES_MAX, SANDBOX_PROCESSES_MAX } from '../../../domain/limits.ts';
import { WAIT_AT_GATE } from './gate.ts';
import type { NetworkAccess } from './network-access.ts';

const PRLIMIT = '/usr/bin/prlimit';
const ENV = '/usr/bin/env';
const BASH = '/usr/bin/bash';
/** What bubblewrap and shells add; the environment is to be what the caller gave. */
const ADDED = ['PWD', 'OLDPWD', 'SHLVL', '_'];

/** What bubblewrap starts: a shell that waits for its release, and in its place then the program with its limits. */
export function innerCommand(
  program: readonly string[],
  env: Readonly<Record<string, string>>,
  { opening }: Pick<NetworkAccess, 'opening'>,
): string[] {
  const commands = [WAIT_AT_GATE, ...(opening ? [opening.command] : []), 'exec "$@"'];
  const shell = [...shellFor(env), '-c', commands.join('; '), 'sh', ...(opening?.words ?? [])];
  return [...shell, ...limited(), ...withoutAdded(program, env), ...program];
}

/** Small shells drop variables whose names they could not write themselves; bash hands them on. */
function shellFor(env: Readonly<Record<string, string>>): string[] {
  const isPlain = Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name));
  // With -p it runs nothing that a variable names.
  return isPlain || !existsSync(BASH) ? ['/bin/sh'] : [BASH, '-p'];
}

/** Soft and hard alike; a bound that the caller has lower stays. */
function limited(): string[] {
  if (!existsSync(PRLIMIT)) return [];
  const own = readFileSync('/proc/self/limits', 'latin1');
  const bounds = [
    ['nproc', lower(own, 'Max processes', SANDBOX_PROCESSES_MAX)],
    ['fsize', lower(own, 'Max file size', SANDBOX_FILE_BYTES_MAX)],
    ['core', 0],
  ];
  return [PRLIMIT, ...bounds.map(([name, bound]) => `--${name}=${bound}`), '--'];
}

function lower(limits: string, name: string, bound: number): number {
  const hard = new RegExp(`^${name}\\s+\\S+\\s+(\\d+)`, 'm').exec(limits)?.[1];
  return Math.min(bound, Number(hard ?? bound));
}

function withoutAdded(program: readonly string[], env: Readonly<Record<string, string>>): string[] {
  // To env a program whose name has an equals sign is a variable.
  if (!existsSync(ENV) || program[0]?.includes('=')) return [];
  return [ENV, ...ADDED.filter((name) => env[name] === undefined).flatMap((name) => ['-u', name])];
}
