import type { AgentView } from '../api/contract.ts';
import { loadConfigSources } from '../config/load.ts';
import { loadConfig } from '../config/load-config.ts';
import type { Setting } from '../config/settings.ts';
import { agentViews } from '../node/agent-drivers.ts';
import { dataFolderOf } from './call-folder.ts';
import type { Call } from './command.ts';

export interface AgentList {
  readonly agents: readonly AgentView[];
  /** Settings of a baton.yaml that is not trusted yet. */
  readonly withheld: readonly Setting[];
}

/** Every agent that the configuration of a call names, and demo, which is built in. */
export function listAgents(call: Call): AgentList {
  const dataFolder = dataFolderOf(call);
  const { withheld } = loadConfig(loadConfigSources(dataFolder));
  return { agents: agentViews(dataFolder), withheld };
}
