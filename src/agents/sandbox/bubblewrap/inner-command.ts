import { existsSync, readFileSync } from 'node:fs';
import { SANDBOX_FILE_BYTES_MAX, SANDBOX_PROCESSES_MAX } from '../../../domain/limits.ts';

const PRLIMIT = '/usr/bin/prlimit';
const ENV = '/usr/bin/env';

/** What bubblewrap starts: the program, held to its limits. Each word before it replaces itself by the next. */
export function innerCommand(program: readonly string[], env: Readonly<Record<string, string>>): string[] {
  return [...limited(), ...withoutFolderVariable(program, env), ...program];
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

/** Bubblewrap adds PWD; the environment is to be what the caller gave. */
function withoutFolderVariable(program: readonly string[], env: Readonly<Record<string, string>>): string[] {
  // To env a name with an equals sign is a variable.
  const isSafe = existsSync(ENV) && !program[0]?.includes('=');
  return isSafe && env.PWD === undefined ? [ENV, '-u', 'PWD'] : [];
}
