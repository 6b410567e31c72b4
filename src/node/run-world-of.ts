import { demoDriver } from '../agents/drivers/demo/demo-driver.ts';
import { processDriver } from '../agents/drivers/process/process-driver.ts';
import { findSandbox } from '../agents/sandbox/find-sandbox.ts';
import { OpenSandbox } from '../agents/sandbox/open/open-sandbox.ts';
import { loadEnvironment } from '../config/load.ts';
import { ProgressGates } from '../dispatch/progress-gates.ts';
import type { PlanWorld, RunWorld } from '../dispatch/run-world.ts';
import { Workplaces } from '../dispatch/workplaces.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Timer } from '../platform/timer.ts';
import { batonVersion } from '../platform/version.ts';
import { loadRunSettings } from './run-settings.ts';

const DRIVERS = { process: processDriver, demo: demoDriver } as const;

/** What orders are planned with: the agents, drivers and sandbox of this machine. */
export function planWorldOf(dataFolder: string, clock: Clock): PlanWorld {
  let sandbox: ReturnType<PlanWorld['sandbox']> | null = null;
  const drivers = Object.values(DRIVERS);
  return {
    dataFolder,
    clock,
    workplaces: new Workplaces(),
    drivers: DRIVERS,
    sandbox: () => {
      sandbox ??= findSandbox();
      return sandbox;
    },
    settings: () => loadRunSettings({ dataFolder, drivers, environment: loadEnvironment() }),
  };
}

export interface WorldParts {
  readonly dataFolder: string;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Logger;
}

export function runWorldOf({ dataFolder, clock, ...parts }: WorldParts): RunWorld {
  return {
    ...planWorldOf(dataFolder, clock),
    ...parts,
    progress: new ProgressGates(clock, parts.timer),
    batonVersion: batonVersion(),
    open: new OpenSandbox(),
    environment: loadEnvironment(),
  };
}
