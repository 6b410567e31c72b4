import { ANSWERED_NAMES } from '../../api/calls.ts';
import { refusedMessage } from '../../api/message-answer.ts';
import { callsMadeBy, type NodeClient } from '../../api/node-client.ts';
import { plainReads } from '../../calls/ledger-reads.ts';
import { batchOf } from '../../calls/rights.ts';
import { refuse } from '../../domain/refusal.ts';
import { openEmptyConnection } from '../../ledger/connection.ts';
import { Reader } from '../../ledger/tx.ts';
import { FolderFault, HOW_TO_BEGIN } from '../../platform/files/data-folder.ts';

/**
 * The node of a folder where nothing is stored yet, for a command that creates nothing: it answers reads as an empty
 * ledger would, finds no task, and makes no file.
 */
export function emptyNode(dataFolder: string): NodeClient {
  const db = openEmptyConnection();
  const nothing = `nothing is stored in ${dataFolder} yet`;
  const client: NodeClient = {
    ...callsMadeBy(ANSWERED_NAMES, () => async (request: object = {}) => {
      if (!('task' in request)) throw new FolderFault('folder_not_found', nothing, HOW_TO_BEGIN);
      return {
        ...refuse('task_not_found', `there is no task ${JSON.stringify(request.task)}: ${nothing}`),
        hint: HOW_TO_BEGIN,
      };
    }),
    ...plainReads({ read: new Reader(db), dataFolder, hasAgent: () => true }),
    send: async () => refusedMessage(refuse('task_not_found', nothing)),
    treeSettled: async () => ({ settled: true }),
    follow: async () => {
      throw new FolderFault('folder_not_found', nothing, HOW_TO_BEGIN);
    },
    batch: batchOf(() => client),
    close: async () => db.close(),
  };
  return client;
}
