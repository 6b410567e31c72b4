import { join } from 'node:path';
import { type AgentSources, findAgents, programsToAsk, untrustedAgents } from '../../agents/find-agents.ts';
import { ProgramVersions } from '../../agents/program/program-version.ts';
import type { AgentView } from '../../api/contract.ts';
import { loadAgentPlaces, loadConfigSources, loadEnvironment, loadStateFolder } from '../../config/load.ts';
import { loadConfig } from '../../config/load-config.ts';
import { configOf } from '../../config/settings.ts';
import type { Roster } from '../../orders/roster.ts';
import { absoluteFolders } from '../../platform/process/find-program.ts';
import { AGENT_DRIVERS } from './agent-drivers.ts';
import { trySandbox } from './try-sandbox.ts';

/** The answers of programs to `--version`, kept for all data folders of the user. */
const VERSIONS = new ProgramVersions(join(loadStateFolder(), 'program-versions.json'));

/** The drivers of this Baton, and the programs of this machine. */
export function agentParts(dataFolder: string): Pick<Roster, 'drivers' | 'askVersions'> {
  return {
    drivers: Object.fromEntries(AGENT_DRIVERS.map((driver) => [driver.name, driver])),
    askVersions: () => askVersions(dataFolder),
  };
}

/** Learns the versions that only the programs themselves know: bounded in time, and quick while they are the same. */
async function askVersions(dataFolder: string): Promise<void> {
  const { settings } = loadConfig(loadConfigSources(dataFolder));
  const { agents = {} } = configOf(settings);
  const sources = agentSources({ agents, ...loadAgentPlaces(), isWorkspace: true });
  const { HOME, TMPDIR } = loadEnvironment();
  const env = { PATH: absoluteFolders(sources.path), ...(HOME && { HOME }), ...(TMPDIR && { TMPDIR }) };
  await VERSIONS.ask(programsToAsk(sources), env);
}

/** Changes when a program has told its version, or failed to. */
export function versionsAsked(): number {
  return VERSIONS.asked;
}

/** The configured agents and their places, with the user's environment and the drivers of this Baton. */
export function agentSources(places: Omit<AgentSources, 'drivers' | 'variables' | 'versions'>): AgentSources {
  return { ...places, drivers: AGENT_DRIVERS, variables: loadEnvironment(), versions: VERSIONS };
}

/** Every agent that the configuration of a data folder names, untrusted files included, and the built-in ones, ready or not. */
export async function agentViews(dataFolder: string): Promise<readonly AgentView[]> {
  return await viewAgents(dataFolder, true);
}

/** The same without those of files that are not trusted. */
export async function trustedAgentViews(dataFolder: string): Promise<readonly AgentView[]> {
  return await viewAgents(dataFolder, false);
}

async function viewAgents(dataFolder: string, withUntrusted: boolean): Promise<readonly AgentView[]> {
  const { settings, withheld } = loadConfig(loadConfigSources(dataFolder));
  const { agents = {}, default_agent: chosen } = configOf(settings);
  const [sandbox] = await Promise.all([trySandbox(), askVersions(dataFolder)]);
  const sources = agentSources({ agents, ...loadAgentPlaces(), isWorkspace: true });
  const untrusted = (withUntrusted ? untrustedAgents(withheld) : []).filter(({ name }) => !Object.hasOwn(agents, name));
  const all = [...findAgents(sources), ...untrusted].sort((one, other) => (one.name < other.name ? -1 : 1));
  return all.map(({ name, driver, provider, version, role, missing, isLoggedIn, can, ...agent }) => ({
    name,
    driver,
    provider,
    model: ('vendorModel' in agent ? agent.vendorModel : null) ?? agent.model,
    version,
    ready: missing === null,
    reason: missing,
    loggedIn: isLoggedIn,
    sandboxed: !('kind' in sandbox),
    can,
    role,
    isDefault: name === chosen,
  }));
}
