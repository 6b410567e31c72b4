import { OpenSandbox } from '../agents/sandbox/open/open-sandbox.ts';
import { loadEnvironment } from '../config/load.ts';
import { ProgressGates } from '../dispatch/attempt/progress-gates.ts';
import type { RunWorld } from '../dispatch/run-world.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { batonVersion } from '../platform/own-process.ts';
import type { Timer } from '../platform/timer.ts';
import { planWorldOf } from './plan-world-of.ts';
import { trustedSettings } from './trusted-settings.ts';

export interface WorldParts extends Pick<RunWorld, 'door' | 'receive'> {
  readonly dataFolder: string;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly timer: Timer;
  readonly log: Logger;
}

export function runWorldOf({ dataFolder, clock, ids, ...parts }: WorldParts): RunWorld {
  return {
    ...planWorldOf({ dataFolder, clock, ids }),
    ...parts,
    progress: new ProgressGates(clock, parts.timer),
    batonVersion: batonVersion(),
    open: new OpenSandbox(),
    environment: loadEnvironment(),
    ...trustedSettings(dataFolder),
  };
}
