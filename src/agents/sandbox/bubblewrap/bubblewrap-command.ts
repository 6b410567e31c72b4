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
import { machineMemoryBytes } from '../../../platform/machine-limits.ts';
import type { ProcessSpec } from '../sandbox.ts';
import { GATE, GateData, WAIT_AT_GATE } from './gate.ts';
import { mountArguments } from './mount.ts';
import type { NetworkAccess } from './network-access.ts';
import type { MountPlan } from './plan-mounts.ts';
import { systemCallFilter } from './system-call-filter.ts';
import { unprivilegedUser } from './unprivileged-user.ts';

/** How bubblewrap is started for one process. */
export interface BubblewrapCommand {
  /** Its command line, which every user of the machine can read. */
  readonly line: readonly string[];
  /** Mounts and environment are among it, because they may hold secrets. */
  readonly data: GateData;
}

interface Parts {
  readonly spec: ProcessSpec;
  readonly program: readonly string[];
  readonly plan: MountPlan;
  readonly network: NetworkAccess;
}

export function bubblewrapCommand({ spec, program, plan, network }: Parts): BubblewrapCommand {
  const data = new GateData();
  const filter = systemCallFilter('allowed');
  const user = unprivilegedUser(data);
  const env = { ...spec.env, ...network.variables };
  const { memoryBytesMax } = spec.grant;
  const inner = innerCommand(program, env, { ...network, memoryBytesMax });
  const words = [
    ...['--unshare-user', '--disable-userns', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
    ...['--unshare-cgroup-try', ...(network.isShared ? [] : ['--unshare-net'])],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
    ...['--json-status-fd', String(GATE.status)],
    ...user.words,
    ...(filter ? ['--seccomp', String(data.add(filter))] : []),
    ...mountArguments([...plan.mounts, ...network.mounts, ...user.mounts]),
    '--clearenv',
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', spec.cwd],
  ];
  const args = data.add(words.map((word) => `${word}\0`).join(''));
  return { line: ['--args', String(args), '--', ...inner], data };
}

const BASH = '/usr/bin/bash';
const ENV = '/usr/bin/env';
/** Variables that bubblewrap and shells add; the program gets only what the caller gave. */
const ADDED = ['PWD', 'OLDPWD', 'SHLVL', '_'];
/** A lower limit of the machine stays. The number of processes is -p in some shells and -u in others. */
const LIMITS = [
  'ulimit -c 0',
  `ulimit -f ${SANDBOX_FILE_BYTES_MAX / 512}`,
  `ulimit -p ${SANDBOX_PROCESSES_MAX} || ulimit -u ${SANDBOX_PROCESSES_MAX}`,
  `ulimit -Hn ${SANDBOX_OPEN_FILES_MAX} || ulimit -n ${SANDBOX_OPEN_FILES_MAX}`,
];

/** Limits data (-d), not address space (-v): an idle Node reserves hundreds of gigabytes of addresses. */
function memoryLimit(bytesMax: number = memoryBytesOf(machineMemoryBytes())): string {
  return `ulimit -d ${Math.floor(bytesMax / KIB)}`;
}

function memoryBytesOf(machineBytes: number): number {
  const bearable = Math.max(machineBytes * SANDBOX_MEMORY_PART_OF_MACHINE, SANDBOX_MEMORY_BYTES_MIN);
  return Math.min(bearable, SANDBOX_MEMORY_BYTES_MAX);
}

interface InnerParts extends Pick<NetworkAccess, 'bridgeCommands'> {
  readonly memoryBytesMax: number | undefined;
}

/**
 * The command that bubblewrap runs: a shell that sets its limits, starts the bridge, waits at the gate, and then becomes
 * the program.
 */
function innerCommand(
  program: readonly string[],
  env: Readonly<Record<string, string>>,
  { bridgeCommands, memoryBytesMax }: InnerParts,
): string[] {
  const added = ADDED.filter((name) => env[name] === undefined);
  const commands = [
    `{ ${[...LIMITS, memoryLimit(memoryBytesMax)].join('; ')}; } 2>/dev/null`,
    ...bridgeCommands.map(({ length }) => startInBackground(length)),
    WAIT_AT_GATE,
    `unset ${added.join(' ')}`,
    'exec "$@"',
  ];
  const words = [commands.join('; '), 'sh', ...bridgeCommands.flat()];
  const isPlain = Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name));
  if (isPlain || !existsSync(BASH)) return ['/bin/sh', '-c', ...words, ...program];
  // Small shells drop a variable whose name they could not write themselves. Bash passes it on, with more of its own;
  // with -p it runs nothing that a variable names.
  return [BASH, '-p', '-c', ...words, ENV, ...added.flatMap((name) => ['-u', name]), ...program];
}

/**
 * Runs the first words as a command with an empty environment and no descriptor of the program. From a subshell, so that
 * it is a child of the sandbox's first process: the program has no child that it did not start.
 */
function startInBackground(wordCount: number): string {
  const words = Array.from({ length: wordCount }, (_, at) => `"\${${at + 1}}"`).join(' ');
  return `(${ENV} -i ${words} &) ${GATE.release}<&- </dev/null >/dev/null 2>&1; shift ${wordCount}`;
}
