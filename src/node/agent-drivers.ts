import type { AgentDriver } from '../agents/agent-driver.ts';
import { claudeDriver } from '../agents/drivers/claude/claude-driver.ts';
import { codexDriver } from '../agents/drivers/codex/codex-driver.ts';
import { demoDriver } from '../agents/drivers/demo/demo-driver.ts';
import { processDriver } from '../agents/drivers/process/process-driver.ts';
import { findAgents } from '../agents/find-agents.ts';
import type { AgentView } from '../api/contract.ts';
import { loadAgentPlaces, loadConfigSources } from '../config/load.ts';
import { loadConfig } from '../config/load-config.ts';
import { configOf } from '../config/settings.ts';

/** One line a driver. */
export const AGENT_DRIVERS: readonly AgentDriver[] = [claudeDriver, codexDriver, processDriver, demoDriver];

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
