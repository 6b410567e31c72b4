import { rmSync } from 'node:fs';
import { resolveCommand } from '../../process/resolve-command.ts';
import type { Outside } from '../network/outside.ts';
import type { ProcessSpec } from '../sandbox.ts';
import { checkGrant, type GrantedPath } from './check-grant.ts';
import { commandMounts } from './command-files.ts';
import { GATE } from './gate.ts';
import { innerCommand } from './inner-command.ts';
import { mountArguments } from './mount.ts';
import { openNetwork } from './network-access.ts';
import { makePlaceholders } from './placeholders.ts';
import { planMounts } from './plan-mounts.ts';
import { systemCallFilter } from './system-call-filter.ts';

export interface Preparation {
  readonly kind: 'prepared';
  /** Bubblewrap's command line, for all to see. */
  readonly line: readonly string[];
  /** Told in private: what it may touch, and its environment. */
  readonly words: readonly string[];
  readonly filter: Buffer;
  /** To be found where they are said to be, before anything starts. */
  readonly places: readonly GrantedPath[];
  cleanUp(): Promise<void>;
}

type Refused = { readonly kind: 'refused'; readonly reason: string };

/** Everything that bubblewrap needs to be told to start one process. */
export async function prepare(spec: ProcessSpec, outside: Outside): Promise<Preparation | Refused> {
  const command = resolveCommand(spec);
  if (command.kind === 'unusable') return { kind: 'refused', reason: command.reason };
  const check = checkGrant(spec.grant);
  if (check.kind === 'refused') return check;
  const placeholders = makePlaceholders(check.grant.missing);
  if (placeholders.kind === 'refused') return placeholders;
  const places = [...check.grant.paths, ...placeholders.paths];
  const { mounts, forbidden } = planMounts({ ...check.grant, paths: places }, commandMounts(command));
  const network = await openNetwork(spec.grant.network, outside);
  const filter = systemCallFilter();
  const env = { ...spec.env, ...network.variables };
  const words = [
    ...isolation(network.isShared, filter !== null),
    ...mountArguments([...mounts, ...network.mounts]),
    ...environment(env),
    ...['--chdir', spec.cwd],
  ];
  const program = [command.file, ...spec.argv.slice(1)];
  const line = ['--args', String(GATE.arguments), '--', ...innerCommand(program, env, network)];
  const cleanUp = async () => {
    for (const path of forbidden) rmSync(path, { recursive: true, force: true });
    placeholders.remove();
    await network.close();
  };
  return { kind: 'prepared', line, words, filter: filter ?? Buffer.alloc(0), places, cleanUp };
}

function isolation(isNetworkShared: boolean, hasFilter: boolean): string[] {
  return [
    ...[
      '--unshare-user',
      '--disable-userns',
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-cgroup-try',
    ],
    ...(isNetworkShared ? [] : ['--unshare-net']),
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
    ...['--json-status-fd', String(GATE.status), '--block-fd', String(GATE.release)],
    ...(hasFilter ? ['--seccomp', String(GATE.filter)] : []),
  ];
}

function environment(env: ProcessSpec['env']): string[] {
  return ['--clearenv', ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])];
}
