import type { AgentDriver } from '../agents/agent-driver.ts';
import { claudeDriver } from '../agents/drivers/claude/claude-driver.ts';
import { codexDriver } from '../agents/drivers/codex/codex-driver.ts';
import { demoDriver } from '../agents/drivers/demo/demo-driver.ts';
import { geminiDriver } from '../agents/drivers/gemini/gemini-driver.ts';
import { opencodeDriver } from '../agents/drivers/opencode/opencode-driver.ts';
import { processDriver } from '../agents/drivers/process/process-driver.ts';
import { findAgents, untrustedAgents } from '../agents/find-agents.ts';
import type { AgentView } from '../api/contract.ts';
import { loadAgentPlaces, loadConfigSources } from '../config/load.ts';
import { loadConfig } from '../config/load-config.ts';
import { configOf } from '../config/settings.ts';

/** One line a driver. */
export const AGENT_DRIVERS: readonly AgentDriver[] = [
  claudeDriver,
  codexDriver,
  geminiDriver,
  opencodeDriver,
  processDriver,
  demoDriver,
];

/** Every agent that the configuration of a data folder names, untrusted files included, and the built-in ones, ready or not. */
export function agentViews(dataFolder: string): readonly AgentView[] {
  return viewAgents(dataFolder, true);
}

/** The same without those of files that are not trusted. */
export function trustedAgentViews(dataFolder: string): readonly AgentView[] {
  return viewAgents(dataFolder, false);
}

function viewAgents(dataFolder: string, withUntrusted: boolean): readonly AgentView[] {
  const { settings, withheld } = loadConfig(loadConfigSources(dataFolder));
  const { agents = {}, default_agent: chosen } = configOf(settings);
  const found = findAgents({ agents, ...loadAgentPlaces(), drivers: AGENT_DRIVERS, isWorkspace: true });
  const untrusted = (withUntrusted ? untrustedAgents(withheld) : []).filter(({ name }) => !Object.hasOwn(agents, name));
  const all = [...found, ...untrusted].sort((one, other) => (one.name < other.name ? -1 : 1));
  return all.map(({ name, driver, provider, model, role, missing }) => ({
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
