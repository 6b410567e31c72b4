import { loadAgentPlaces, loadConfigSources } from '../config/load.ts';
import { loadConfig } from '../config/load-config.ts';
import { configOf, type Setting } from '../config/settings.ts';
import { agentsHere } from '../node/agent-drivers.ts';
import { dataFolderOf } from './call-folder.ts';
import type { Call } from './command.ts';
import type { AgentView } from './output/agent-text.ts';

export interface AgentList {
  readonly agents: readonly AgentView[];
  /** Settings of a baton.yaml that is not trusted yet. */
  readonly withheld: readonly Setting[];
}

/** Every agent that the configuration of a call names, and demo, which is built in. */
export function listAgents(call: Call): AgentList {
  const { settings, withheld } = loadConfig(loadConfigSources(dataFolderOf(call)));
  const { agents = {}, default_agent: defaultAgent } = configOf(settings);
  const views = agentsHere({ agents, ...loadAgentPlaces() }).map(
    ({ name, driver, provider, model, role, missing }): AgentView => ({
      name,
      driver,
      provider,
      model,
      role,
      isDefault: name === defaultAgent,
      isReady: missing === null,
      missing,
    }),
  );
  return { agents: views, withheld };
}
