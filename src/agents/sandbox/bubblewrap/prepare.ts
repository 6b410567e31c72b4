import { rmSync } from 'node:fs';
import { resolveCommand } from '../../process/resolve-command.ts';
import type { Outside } from '../network/forward-proxy.ts';
import type { ProcessSpec } from '../sandbox.ts';
import { checkGrant, type GrantedPath } from './check-grant.ts';
import { GATE } from './gate.ts';
import { innerCommand } from './inner-command.ts';
import { type NetworkAccess, openNetwork } from './network-access.ts';
import { makePlaceholders } from './placeholders.ts';
import { type MountPlan, planMounts } from './plan-mounts.ts';
import { sandboxWords } from './sandbox-words.ts';
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
  try {
    const plan = planMounts({ ...check.grant, paths: places }, command, spec.cwd);
    const network = await openNetwork(spec.grant.network, outside);
    const cleanUp = async () => {
      for (const path of plan.forbidden) rmSync(path, { recursive: true, force: true });
      placeholders.remove();
      await network.close();
    };
    const program = [command.file, ...spec.argv.slice(1)];
    return { kind: 'prepared', ...describe({ spec, program, plan, network }), places, cleanUp };
  } catch (error) {
    // No descriptor left, no room for a socket: what has to be there for the sandbox is not.
    placeholders.remove();
    return { kind: 'refused', reason: `the sandbox cannot be prepared (${(error as NodeJS.ErrnoException).code})` };
  }
}

interface Parts {
  readonly spec: ProcessSpec;
  readonly program: readonly string[];
  readonly plan: MountPlan;
  readonly network: NetworkAccess;
}

function describe({ spec, program, plan, network }: Parts): Pick<Preparation, 'line' | 'words' | 'filter'> {
  const filter = systemCallFilter();
  const env = { ...spec.env, ...network.variables };
  const words = sandboxWords({
    mounts: [...plan.mounts, ...network.mounts],
    isNetworkShared: network.isShared,
    hasFilter: filter !== null,
    env,
    cwd: spec.cwd,
  });
  const { memoryBytesMax } = spec.grant;
  const line = ['--args', String(GATE.arguments), '--', ...innerCommand(program, env, { ...network, memoryBytesMax })];
  return { line, words, filter: filter ?? Buffer.alloc(0) };
}
