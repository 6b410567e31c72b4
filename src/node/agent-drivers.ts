import type { AgentDriver } from '../agents/agent-driver.ts';
import { demoDriver } from '../agents/drivers/demo/demo-driver.ts';
import { processDriver } from '../agents/drivers/process/process-driver.ts';
import { findAgents } from '../agents/find-agents.ts';
import { programFiles } from '../agents/program/program-files.ts';
import type { AgentView } from '../api/contract.ts';
import { loadAgentPlaces, loadConfigSources } from '../config/load.ts';
import { loadConfig } from '../config/load-config.ts';
import { configOf } from '../config/settings.ts';
import type { AgentFacts } from '../domain/agent.ts';

/** One line a driver. */
export const AGENT_DRIVERS: readonly AgentDriver[] = [processDriver, demoDriver];

/** Every agent that the configuration of a data folder names, and the built-in ones, ready or not. */
export function agentViews(dataFolder: string): readonly AgentView[] {
  const { agents = {}, default_agent: chosen } = configOf(loadConfig(loadConfigSources(dataFolder)).settings);
  const found = findAgents({ agents, ...loadAgentPlaces(), drivers: AGENT_DRIVERS });
  return found.map(({ name, driver, provider, model, role, missing }) => ({
    name,
    driver,
    provider,
    model,
    role,
    isDefault: name === chosen,
    isReady: missing === null,
    missing,
  }));
}

/** The paths that a sandbox shows for the program of an agent, and for the Node in use. */
export function programPaths(agent: AgentFacts | null): readonly string[] {
  const driver = AGENT_DRIVERS.find(({ name }) => name === agent?.driver);
  const node = programFiles(process.execPath, { homes: loadAgentPlaces().homes, path: '', cwd: null });
  return [...new Set([...(agent?.ownPaths ?? []), ...(driver?.ownPaths ?? []), ...node.paths])];
}
