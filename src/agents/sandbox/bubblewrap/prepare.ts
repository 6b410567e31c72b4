import { realpathSync } from 'node:fs';
import { homeFolders } from '../../../platform/files/home-folders.ts';
import type { Timer } from '../../../platform/timer.ts';
import { resolveCommand } from '../../process/resolve-command.ts';
import type { ProgramPlaces } from '../../program/installed-folder.ts';
import type { ProcessSpec } from '../sandbox.ts';
import { type BubblewrapCommand, bubblewrapCommand } from './bubblewrap-command.ts';
import { checkGrant } from './check-grant.ts';
import { awaitPorts, type NetworkParts, openNetwork } from './network-access.ts';
import { pinPath, seesPinned } from './pinned-path.ts';
import { makePlaceholders, placePointer, realNameOf } from './placeholders.ts';
import { planMounts, shownPrograms } from './plan-mounts.ts';

export interface Preparation extends BubblewrapCommand {
  readonly kind: 'prepared';
  /**
   * Compares the finished sandbox with this preparation before the program starts. Names may lead elsewhere since they
   * were judged, so what counts is what the waiting process sees. Null, or why it must not start.
   */
  verify(pid: number, timer: Timer): Promise<string | null>;
  cleanUp(): Promise<void>;
}

type RefusedLaunch = { readonly kind: 'refused'; readonly reason: string; readonly isMissing?: boolean };

/** Checks the grant, makes what the sandbox mounts, opens its network, and writes bubblewrap's command. */
export async function prepare(spec: ProcessSpec, parts: NetworkParts): Promise<Preparation | RefusedLaunch> {
  const command = resolveCommand(spec);
  if (command.kind === 'unusable') return { ...command, kind: 'refused' };
  const check = checkGrant(spec.grant);
  if (check.kind === 'refused') return check;
  const placeholders = makePlaceholders(check.grant.missing);
  if (placeholders.kind === 'refused') return placeholders;
  const paths = [...check.grant.paths, ...placeholders.paths];
  const removals: (() => void)[] = [];
  try {
    const plan = planMounts({ ...check.grant, paths }, shownPrograms(command.file, placesOf(spec)), spec.cwd);
    for (const { from } of plan.pointers) removals.push(placePointer(from));
    const network = await openNetwork(spec.grant.network, parts);
    const pointers = plan.pointers.map(({ from, at }) => ({ at, pinning: pinPath(realNameOf(from)) }));
    const cleanUp = async () => {
      for (const remove of removals) remove();
      placeholders.remove();
      await network.close();
    };
    const verify = async (pid: number, timer: Timer) => {
      const wrong = paths.find(({ at, pinned }) => !seesPinned(pid, at, pinned));
      if (wrong) return `${wrong.at} changed while the sandbox was built`;
      const free = pointers.find(
        ({ at, pinning }) => pinning.kind !== 'pinned' || !seesPinned(pid, at, pinning.pinned),
      );
      if (free) return `${free.at} changed while the sandbox was built`;
      const port = await awaitPorts(pid, network.ports, timer);
      return port === null
        ? null
        : `the network bridge (${parts.bridge.name}) did not open port ${port} in the sandbox`;
    };
    const program = [command.file, ...spec.argv.slice(1)];
    return { kind: 'prepared', ...bubblewrapCommand({ spec, program, plan, network }), verify, cleanUp };
  } catch (error) {
    // No descriptor or no disk space for what the sandbox needs.
    for (const remove of removals) remove();
    placeholders.remove();
    return { kind: 'refused', reason: `the sandbox cannot be prepared (${(error as NodeJS.ErrnoException).code})` };
  }
}

function placesOf({ cwd, env: { PATH = '', HOME } }: ProcessSpec): ProgramPlaces {
  return { homes: [...homeFolders(), ...(HOME ? [HOME] : [])], path: PATH, cwd: realpathSync(cwd) };
}
