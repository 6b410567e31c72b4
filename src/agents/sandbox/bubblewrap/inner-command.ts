import { existsSync } from 'node:fs';
import {
  KIB,
  SANDBOX_FILE_BYTES_MAX,
  SANDBOX_MEMORY_BYTES_MAX,
  SANDBOX_MEMORY_BYTES_MIN,
  SANDBOX_MEMORY_PART_OF_MACHINE,
  SANDBOX_OPEN_FILES_MAX,
  SANDBOX_PROCESSES_MAX,
} from '../../../domain/limits.ts';
import { machineMemoryBytes } from '../../../platform/machine-memory.ts';
import { WAIT_AT_GATE } from './gate.ts';
import type { NetworkAccess } from './network-access.ts';

const BASH = '/usr/bin/bash';
const ENV = '/usr/bin/env';
/** What bubblewrap and shells add; the environment is to be what the caller gave. */
const ADDED = ['PWD', 'OLDPWD', 'SHLVL', '_'];
/** A bound that the machine has lower stays. Processes are -p to some shells and -u to others. */
const LIMITS = [
  'ulimit -c 0',
  `ulimit -f ${SANDBOX_FILE_BYTES_MAX / 512}`,
  `ulimit -p ${SANDBOX_PROCESSES_MAX} || ulimit -u ${SANDBOX_PROCESSES_MAX}`,
  `ulimit -Hn ${SANDBOX_OPEN_FILES_MAX} || ulimit -n ${SANDBOX_OPEN_FILES_MAX}`,
];

/** Not of all addresses: a Node without memory in use has reserved hundreds of gigabytes of them. */
function memoryLimit(bytesMax: number = memoryBytesOf(machineMemoryBytes())): string {
  return `ulimit -d ${Math.floor(bytesMax / KIB)}`;
}

function memoryBytesOf(machineBytes: number): number {
  const bearable = Math.max(machineBytes * SANDBOX_MEMORY_PART_OF_MACHINE, SANDBOX_MEMORY_BYTES_MIN);
  return Math.min(bearable, SANDBOX_MEMORY_BYTES_MAX);
}

export interface InnerParts extends Pick<NetworkAccess, 'opening'> {
  readonly memoryBytesMax: number | undefined;
}

/** What bubblewrap starts: a shell that waits for its release, takes its limits, and then is the program. */
export function innerCommand(
  program: readonly string[],
  env: Readonly<Record<string, string>>,
  { opening, memoryBytesMax }: InnerParts,
): string[] {
  const added = ADDED.filter((name) => env[name] === undefined);
  const commands = [
    WAIT_AT_GATE,
    `{ ${[...LIMITS, memoryLimit(memoryBytesMax)].join('; ')}; } 2>/dev/null`,
    ...(opening ? [opening.command] : []),
    `unset ${added.join(' ')}`,
    'exec "$@"',
  ];
  const words = [commands.join('; '), 'sh', ...(opening?.words ?? [])];
  const isPlain = Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name));
  if (isPlain || !existsSync(BASH)) return ['/bin/sh', '-c', ...words, ...program];
  // Small shells drop a variable whose name they could not write themselves. Bash hands it on, with more of its own;
  // with -p it runs nothing that a variable names.
  return [BASH, '-p', '-c', ...words, ENV, ...added.flatMap((name) => ['-u', name]), ...program];
}
