import { existsSync } from 'node:fs';
import { KIB } from '../../../domain/limits.ts';
import {
  SANDBOX_FILE_BYTES_MAX,
  SANDBOX_OPEN_FILES_MAX,
  SANDBOX_PROCESSES_MAX,
} from '../../../domain/process-limits.ts';
import { type GitIdentity, identityLines } from '../../../domain/work/git-identity.ts';
import type { ProcessSpec } from '../sandbox.ts';
import { filterLoader } from './filter-loader.ts';
import { GATE, GateData, WAIT_AT_GATE } from './gate.ts';
import { memoryOfEach } from './memory-bounds.ts';
import { type Mount, mountArguments } from './mount.ts';
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
  const filters = planFilters(network);
  const user = unprivilegedUser(data);
  const identity = showIdentity(spec.grant.gitIdentity, data);
  const loader: Mount[] = filters.loader
    ? [{ kind: 'data', fd: data.add(filters.loader), isProgram: true, at: LOADER }]
    : [];
  const env = { ...spec.env, ...identity.variables, ...network.variables };
  const memoryBytesMax = memoryOfEach(spec.grant);
  const mounts = plan.mounts.map((mount) => withinMemory(mount, memoryBytesMax));
  const inner = innerCommand(program, env, { ...network, memoryBytesMax, hasLoader: filters.loader !== null });
  const words = [
    ...['--unshare-user', '--disable-userns', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
    ...['--unshare-cgroup-try', ...(network.isShared ? [] : ['--unshare-net'])],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
    ...['--json-status-fd', String(GATE.status)],
    ...user.words,
    ...(filters.all ? ['--seccomp', String(data.add(filters.all))] : []),
    ...mountArguments([...mounts, ...network.mounts, ...user.mounts, ...identity.mounts, ...loader]),
    '--clearenv',
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', spec.cwd],
  ];
  const args = data.add(words.map((word) => `${word}\0`).join(''));
  return { line: ['--args', String(args), '--', ...inner], data };
}

interface Filters {
  /** The filter of every process in the sandbox. */
  readonly all: Buffer | null;
  /** Adds a filter to the program alone; null if it needs no further one. */
  readonly loader: Buffer | null;
}

/**
 * A unix socket of the machine is reached by its path, from any network namespace, and no filter sees the path. So without
 * the machine's network there are no unix sockets, except for the bridge.
 */
function planFilters({ isShared, bridgeCommands }: NetworkAccess): Filters {
  if (isShared) return { all: systemCallFilter('allowed'), loader: null };
  const strict = systemCallFilter('refused');
  if (bridgeCommands.length === 0 || strict === null) return { all: strict, loader: null };
  return { all: systemCallFilter('allowed'), loader: filterLoader(strict) };
}

/** In a folder that every sandbox has. */
const LOADER = '/run/baton-filter';
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
function memoryLimit(bytesMax: number): string {
  return `ulimit -d ${Math.floor(bytesMax / KIB)}`;
}

/** Files in a private folder are memory too. */
function withinMemory(mount: Mount, bytesMax: number): Mount {
  return mount.kind === 'empty' ? { ...mount, bytesMax: Math.min(mount.bytesMax, bytesMax) } : mount;
}

interface InnerParts extends Pick<NetworkAccess, 'bridgeCommands'> {
  readonly memoryBytesMax: number;
  readonly hasLoader: boolean;
}

/**
 * The command that bubblewrap runs: a shell that sets its limits, starts the bridge, waits at the gate, and then becomes
 * the program. The loader comes after the bridge, and before a second shell, so that the program starts as from a shell.
 */
function innerCommand(
  program: readonly string[],
  env: Readonly<Record<string, string>>,
  { bridgeCommands, memoryBytesMax, hasLoader }: InnerParts,
): string[] {
  const added = ADDED.filter((name) => env[name] === undefined);
  const isPlain = Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name)) || !existsSync(BASH);
  // Small shells drop a variable whose name they could not write themselves. Bash passes it on, with more of its own;
  // with -p it runs nothing that a variable names.
  const shell = isPlain ? ['/bin/sh', '-c'] : [BASH, '-p', '-c'];
  const started = isPlain ? program : [ENV, ...added.flatMap((name) => ['-u', name]), ...program];
  const before = [
    `{ ${[...LIMITS, memoryLimit(memoryBytesMax)].join('; ')}; } 2>/dev/null`,
    ...bridgeCommands.map(({ length }) => startInBackground(length)),
  ];
  const after = [WAIT_AT_GATE, `unset ${added.join(' ')}`, 'exec "$@"'];
  const join = (commands: readonly string[]) => [...shell, commands.join('; '), 'sh'];
  if (!hasLoader) return [...join([...before, ...after]), ...bridgeCommands.flat(), ...started];
  return [...join([...before, 'exec "$@"']), ...bridgeCommands.flat(), LOADER, ...join(after), ...started];
}

/**
 * Runs the first words as a command with an empty environment and no descriptor of the program. From a subshell, so that
 * it is a child of the sandbox's first process: the program has no child that it did not start.
 */
function startInBackground(wordCount: number): string {
  const words = Array.from({ length: wordCount }, (_, at) => `"\${${at + 1}}"`).join(' ');
  return `(${ENV} -i ${words} &) ${GATE.release}<&- </dev/null >/dev/null 2>&1; shift ${wordCount}`;
}

interface ShownIdentity {
  readonly mounts: readonly Mount[];
  readonly variables: Readonly<Record<string, string>>;
}

/** In a folder that every sandbox has. */
const FILE = '/run/baton-gitconfig';
const OF_THE_MACHINE = '/etc/gitconfig';

/**
 * Shows the user's identity to git as a setting of the system. Settings of a repository, `-c` and GIT_AUTHOR_NAME win over it, as
 * they do over the user's own configuration, which holds hooks, helpers and aliases and stays hidden.
 */
function showIdentity(identity: GitIdentity | null | undefined, data: GateData): ShownIdentity {
  if (!identity) return { mounts: [], variables: {} };
  // Git reads one file of the system. The machine's own is readable in every sandbox.
  const lines = ['[include]', `\tpath = ${OF_THE_MACHINE}`, ...identityLines(identity), ''];
  return {
    mounts: [{ kind: 'data', fd: data.add(lines.join('\n')), at: FILE }],
    variables: { GIT_CONFIG_SYSTEM: FILE },
  };
}
