import type { NodeClient } from '../api/contract.ts';
import { type ConnectOptions, connectNode } from '../node/connect-node.ts';
import { agentClient } from './agent-client.ts';
import { ownFolderOf } from './call-folder.ts';
import type { Call } from './command.ts';
import { endOnFault } from './output/end-on-fault.ts';

/** The node of the folder; without one, this process is it while the command runs. An agent's commands go to its node. */
export async function openClient(call: Call, how: Pick<ConnectOptions, 'openHere'> = {}): Promise<NodeClient> {
  const agents = await agentClient(call);
  if (agents) return agents;
  const json = Boolean(call.flags.json);
  return await connectNode({ ...how, dataFolder: ownFolderOf(call), onFatal: (fault) => endOnFault(fault, json) });
}
