import type { NodeClient } from '../../api/node-client.ts';
import { loadAgentEndpoint } from '../../config/load.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { type ConnectOptions, connectNode } from '../../node/client/connect-node.ts';
import { isWithoutLedger } from '../../platform/files/data-folder.ts';
import { ownFolderOf, seenFolderOf } from '../call-folder.ts';
import { type Call, flagText } from '../command.ts';
import { endOnFault } from '../output/end-on-fault.ts';
import { lastTaskClient } from './last-task-client.ts';

/** Connects to the node of the data folder, or becomes it while the command runs. An agent's call goes to its own node. */
export async function openClient(
  call: Call,
  how: Pick<ConnectOptions, 'openHere' | 'onAgain'> = {},
): Promise<NodeClient> {
  const agents = await agentClient(call);
  if (agents) return agents;
  const json = Boolean(call.flags.json);
  const dataFolder = ownFolderOf(call);
  const client = await connectNode({ ...how, dataFolder, onFatal: (fault) => endOnFault(fault, json) });
  return lastTaskClient(call, dataFolder, client);
}

/** Asks the node of the data folder, and closes the connection. */
export async function askNode<Answer>(call: Call, ask: (client: NodeClient) => Promise<Answer>): Promise<Answer> {
  const client = await openClient(call);
  try {
    return await ask(client);
  } finally {
    await client.close();
  }
}

/** Connects for a command that creates nothing: where nothing is stored yet, it gets an empty node. */
export async function openSeen(call: Call): Promise<{ readonly client: NodeClient; readonly isEmpty: boolean }> {
  const agents = await agentClient(call);
  if (agents) return { client: agents, isEmpty: false };
  const dataFolder = seenFolderOf(call);
  if (!isWithoutLedger(dataFolder)) return { client: await openClient(call), isEmpty: false };
  const { emptyNode } = await import('../../node/client/empty-node.ts');
  return { client: emptyNode(dataFolder), isEmpty: true };
}

/** The node that started the calling agent; null for other callers, and if --data names a folder. */
async function agentClient(call: Call): Promise<NodeClient | null> {
  const endpoint = loadAgentEndpoint(flagText(call, 'data'));
  if (endpoint === null) return null;
  const { httpClient } = await import('../../api/http/http-client.ts');
  // An agent does not see the tree, so it does not wait for it.
  return { ...httpClient(endpoint), treeSettled: async () => ({ settled: true }) };
}

/** The refusal of a call to a folder in which nothing is stored, before a node would make the folder; null otherwise. */
export async function refuseNothingStored(
  call: Call,
  ask: (client: NodeClient) => Promise<unknown>,
): Promise<Refusal | null> {
  if (!isWithoutLedger(seenFolderOf(call))) return null;
  const { client } = await openSeen(call);
  try {
    const answer = await ask(client);
    return isRefusal(answer) ? answer : null;
  } finally {
    await client.close();
  }
}
