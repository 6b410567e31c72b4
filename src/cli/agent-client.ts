import type { NodeClient } from '../api/contract.ts';
import { loadAgentDoor } from '../config/load.ts';
import { type Call, flagText } from './command.ts';

/** The node that started the agent whose command this is; null for everybody else, and where a folder is named. */
export async function agentClient(call: Call): Promise<NodeClient | null> {
  const door = loadAgentDoor(flagText(call, 'data'));
  if (door === null) return null;
  const { httpClient } = await import('../api/http/client.ts');
  // An agent does not see the tree: there is nothing for it to wait for.
  return { ...httpClient(door), treeSettled: async () => {} };
}
