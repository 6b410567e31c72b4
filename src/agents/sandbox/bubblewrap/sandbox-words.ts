import type { ProcessSpec } from '../sandbox.ts';
import { GATE } from './gate.ts';
import { type Mount, mountArguments } from './mount.ts';

export interface SandboxPlan extends Pick<ProcessSpec, 'env' | 'cwd'> {
  readonly mounts: readonly Mount[];
  readonly isNetworkShared: boolean;
  readonly hasFilter: boolean;
}

/** A sandbox in bubblewrap's words. */
export function sandboxWords({ mounts, isNetworkShared, hasFilter, env, cwd }: SandboxPlan): string[] {
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
    ...['--json-status-fd', String(GATE.status)],
    ...(hasFilter ? ['--seccomp', String(GATE.filter)] : []),
    ...mountArguments(mounts),
    '--clearenv',
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', cwd],
  ];
}
