import { rmSync } from 'node:fs';
import { resolveCommand } from '../../process/resolve-command.ts';
import type { Outside } from '../network/outside.ts';
import type { ProcessSpec } from '../sandbox.ts';
import { checkGrant, type GrantedPath } from './check-grant.ts';
import { commandMounts } from './command-files.ts';
import { GATE } from './gate.ts';
import { innerCommand } from './inner-command.ts';
import { openNetwork } from './network-access.ts';
import { makePlaceholders } from './placeholders.ts';
import { planMounts } from './plan-mounts.ts';
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
  const { mounts, forbidden } = planMounts({ ...check.grant, paths: places }, commandMounts(command));
  const network = await openNetwork(spec.grant.network, outside);
  const filter = systemCallFilter();
  const env = { ...spec.env, ...network.variables };
  const words = sandboxWords({
    mounts: [...mounts, ...network.mounts],
    isNetworkShared: network.isShared,
    hasFilter: filter !== null,
    env,
    cwd: spec.cwd,
  });
  const program = [command.file, ...spec.argv.slice(1)];
  const line = ['--args', String(GATE.arguments), '--', ...innerCommand(program, env, network)];
  const cleanUp = async () => {
    for (const path of forbidden) rmSync(path, { recursive: true, force: true });
    placeholders.remove();
    await network.close();
  };
  return { kind: 'prepared', line, words, filter: filter ?? Buffer.alloc(0), places, cleanUp };
}
