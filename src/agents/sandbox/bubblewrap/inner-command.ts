import { existsSync, readFileSync } from 'node:fs';
import { SANDBOX_FILE_BYTES_MAX, SANDBOX_PROCESSES_MAX } from '../../../domain/limits.ts';
import type { NetworkAccess } from './network-access.ts';

const PRLIMIT = '/usr/bin/prlimit';
const ENV = '/usr/bin/env';
/** What bubblewrap and shells add; the environment is to be what the caller gave. */
const ADDED = ['PWD', 'OLDPWD', 'SHLVL', '_'];

/** What bubblewrap starts: the program, held to its limits. Each program before it is replaced by the next. */
export function innerCommand(
  program: readonly string[],
  env: Readonly<Record<string, string>>,
  { before }: Pick<NetworkAccess, 'before'>,
): string[] {
  return [...limited(), ...before, ...withoutAdded(program, env), ...program];
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
