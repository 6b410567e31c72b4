import { vendorsNotInstalled } from '../agents/find-agents.ts';
import type { Vendor } from '../agents/vendors.ts';
import type { AgentView } from '../api/contract.ts';
import { loadAgentPlaces, loadConfigSources } from '../config/load.ts';
import { loadConfig } from '../config/load-config.ts';
import type { Setting } from '../config/settings.ts';
import { agentViews } from '../node/list-agents.ts';
import { dataFolderOf } from './call-folder.ts';
import type { Call } from './command.ts';

export interface AgentList {
  readonly agents: readonly AgentView[];
  /** Settings of a baton.yaml that is not trusted yet. */
  readonly withheld: readonly Setting[];
  readonly notInstalled: readonly Vendor[];
}

/** Every agent that the configuration of a call names, and demo, which is built in. */
export async function listAgents(call: Call): Promise<AgentList> {
  const dataFolder = dataFolderOf(call);
  const { withheld } = loadConfig(loadConfigSources(dataFolder));
  const notInstalled = vendorsNotInstalled(loadAgentPlaces());
  return { agents: await agentViews(dataFolder), withheld, notInstalled };
}
