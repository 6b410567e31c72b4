import { vendorsNotInstalled } from '../../agents/find-agents.ts';
import { VENDORS, type Vendor } from '../../agents/vendors.ts';
import type { AgentView } from '../../api/contract.ts';
import { loadAgentPlaces, loadConfigSources } from '../../config/load.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { Setting } from '../../config/settings.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { agentViews } from '../../node/agents/list-agents.ts';
import { readLiveNode } from '../../platform/files/node-file.ts';
import { dataFolderOf } from '../call-folder.ts';
import type { Call } from '../command.ts';

export interface AgentListing {
  readonly agents: readonly AgentView[];
  /** Settings of a baton.yaml that is not trusted yet. */
  readonly withheld: readonly Setting[];
  readonly notInstalled: readonly Vendor[];
  /** On the PATH of this shell, but not on that of the running node. */
  readonly notSeenByNode: readonly Vendor[];
}

/**
 * Every agent that the configuration of a call names, and demo, which is built in. A running node is asked: it starts the
 * agents, with the PATH and the logins of the shell that it was started from.
 */
export async function listAgents(call: Call): Promise<AgentListing> {
  const dataFolder = dataFolderOf(call);
  const { withheld } = loadConfig(loadConfigSources(dataFolder));
  const asked = await askRunningNode(dataFolder);
  const missingHere = vendorsNotInstalled(loadAgentPlaces());
  if (asked === null) {
    return { agents: await agentViews(dataFolder), withheld, notInstalled: missingHere, notSeenByNode: [] };
  }
  const lacks = (driver: string) => !asked.some((agent) => agent.driver === driver);
  const absent: readonly Vendor[] = Object.entries(VENDORS).flatMap(([driver, vendor]) =>
    lacks(driver) ? vendor : [],
  );
  return {
    agents: asked,
    withheld,
    notInstalled: absent.filter((vendor) => missingHere.includes(vendor)),
    notSeenByNode: absent.filter((vendor) => !missingHere.includes(vendor)),
  };
}

async function askRunningNode(dataFolder: string): Promise<readonly AgentView[] | null> {
  const node = readLiveNode(dataFolder);
  if (node === null) return null;
  const { httpClient } = await import('../../api/http/http-client.ts');
  const client = httpClient(node);
  try {
    const answer = await client.listAgents();
    return isRefusal(answer) ? null : answer.agents;
  } finally {
    await client.close();
  }
}
