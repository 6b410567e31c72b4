import { findSandbox } from '../agents/sandbox/find-sandbox.ts';
import { loadConfigSources, loadEnvironment } from '../config/load.ts';
import type { PlanWorld } from '../dispatch/plan-world.ts';
import { Workplaces } from '../dispatch/workplace/workplaces.ts';
import { AGENT_DRIVERS } from './agent-drivers.ts';
import { aopEdge } from './aop-edge.ts';
import { keptSettings } from './kept-settings.ts';
import { hostsOf, loadRunSettings } from './run-settings.ts';

/** What orders are planned with: the agents, drivers and sandbox of this machine. */
export function planWorldOf({ dataFolder, clock, ids }: Pick<PlanWorld, 'dataFolder' | 'clock' | 'ids'>): PlanWorld {
  let sandbox: ReturnType<PlanWorld['sandbox']> | null = null;
  return {
    dataFolder,
    clock,
    ids,
    edge: aopEdge(dataFolder),
    hostsOf,
    workplaces: new Workplaces(),
    drivers: Object.fromEntries(AGENT_DRIVERS.map((driver) => [driver.name, driver])),
    sandbox: () => {
      sandbox ??= findSandbox();
      return sandbox;
    },
    settings: keptSettings({
      clock,
      sources: () => loadConfigSources(dataFolder),
      load: () => loadRunSettings({ dataFolder, drivers: AGENT_DRIVERS, environment: loadEnvironment() }),
    }),
  };
}
