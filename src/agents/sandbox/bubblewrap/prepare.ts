import { rmSync } from 'node:fs';
import { resolveCommand } from '../../process/resolve-command.ts';
import type { ProcessSpec } from '../sandbox.ts';
import { checkGrant, type GrantedPath } from './check-grant.ts';
import { commandMounts } from './command-files.ts';
import { GATE } from './gate.ts';
import { innerCommand } from './inner-command.ts';
import { mountArguments } from './mount.ts';
import { makePlaceholders } from './placeholders.ts';
import { planMounts } from './plan-mounts.ts';

export interface Preparation {
  readonly kind: 'prepared';
  /** On bubblewrap's command line, for all to see. */
  readonly first: readonly string[];
  /** Told in private: what it may touch, and its environment. */
  readonly words: readonly string[];
  readonly filter: Buffer;
  /** To be found where they are said to be, before anything starts. */
  readonly places: readonly GrantedPath[];
  cleanUp(): Promise<void>;
}

type Refused = { readonly kind: 'refused'; readonly reason: string };

/** Everything that bubblewrap needs to be told to start one process. */
export async function prepare(spec: ProcessSpec): Promise<Preparation | Refused> {
  const command = resolveCommand(spec);
  if (command.kind === 'unusable') return { kind: 'refused', reason: command.reason };
  const check = checkGrant(spec.grant);
  if (check.kind === 'refused') return check;
  const placeholders = makePlaceholders(check.grant.missing);
  if (placeholders.kind === 'refused') return placeholders;
  const places = [...check.grant.paths, ...placeholders.paths];
  const { mounts, guards } = planMounts({ ...check.grant, paths: places }, commandMounts(command));
  return {
    kind: 'prepared',
    first: ['--args', String(GATE.arguments), '--', ...innerCommand([command.file, ...spec.argv.slice(1)], spec.env)],
    words: [...isolation(spec), ...mountArguments(mounts), ...environment(spec.env), ...['--chdir', spec.cwd]],
    filter: Buffer.alloc(0),
    places,
    cleanUp: async () => {
      for (const path of guards.forbidden) rmSync(path, { force: true });
      placeholders.remove();
    },
  };
}

function isolation({ grant }: ProcessSpec): string[] {
  return [
    ...[
      '--unshare-user',
      '--disable-userns',
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-cgroup-try',
    ],
    ...(grant.network.level === 'FULL' ? [] : ['--unshare-net']),
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
    ...['--json-status-fd', String(GATE.status), '--block-fd', String(GATE.release)],
  ];
}

function environment(env: ProcessSpec['env']): string[] {
  return ['--clearenv', ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])];
}
