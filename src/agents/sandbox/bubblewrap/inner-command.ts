import { existsSync } from 'node:fs';
import { SANDBOX_FILE_BYTES_MAX, SANDBOX_PROCESSES_MAX } from '../../../domain/limits.ts';
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
];

/** What bubblewrap starts: a shell that waits for its release, takes its limits, and then is the program. */
export function innerCommand(
  program: readonly string[],
  env: Readonly<Record<string, string>>,
  { opening }: Pick<NetworkAccess, 'opening'>,
): string[] {
  const added = ADDED.filter((name) => env[name] === undefined);
  const commands = [
    WAIT_AT_GATE,
    `{ ${LIMITS.join('; ')}; } 2>/dev/null`,
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
