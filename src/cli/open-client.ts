import type { NodeClient } from '../api/node-client.ts';
import { loadAgentDoor } from '../config/load.ts';
import { type ConnectOptions, connectNode } from '../node/connect-node.ts';
import { ownFolderOf } from './call-folder.ts';
import { type Call, flagText } from './command.ts';
import { endOnFault } from './output/end-on-fault.ts';

/** The node of the folder; without one, this process is it while the command runs. An agent's commands go to its node. */
export async function openClient(call: Call, how: Pick<ConnectOptions, 'openHere'> = {}): Promise<NodeClient> {
  const agents = await agentClient(call);
  if (agents) return agents;
  const json = Boolean(call.flags.json);
  return await connectNode({ ...how, dataFolder: ownFolderOf(call), onFatal: (fault) => endOnFault(fault, json) });
}

/** The node that started the agent whose command this is; null for everybody else, and where a folder is named. */
async function agentClient(call: Call): Promise<NodeClient | null> {
  const door = loadAgentDoor(flagText(call, 'data'));
  if (door === null) return null;
  const { httpClient } = await import('../api/http/client.ts');
  // An agent does not see the tree: there is nothing for it to wait for.
  return { ...httpClient(door), treeSettled: async () => ({ settled: true }) };
}
