import type { NodeClient } from '../api/contract.ts';
import { loadDataFolder } from '../config/load.ts';
import { openNode } from '../node.ts';
import { type Call, flagText, UsageError } from './command.ts';
import { endOnFault } from './output/end-on-fault.ts';

/** The folder that a call is about. */
export function dataFolderOf(call: Call): string {
  const choice = loadDataFolder(flagText(call, 'data'));
  if (choice.kind === 'folder') return choice.path;
  throw new UsageError(choice.message, 'baton --data FOLDER, or BATON_DATA');
}

/** This process is the node while the command runs. */
export async function openClient(call: Call): Promise<NodeClient> {
  const json = Boolean(call.flags.json);
  return await openNode({ dataFolder: dataFolderOf(call), onFatal: (fault) => endOnFault(fault, json) });
}
