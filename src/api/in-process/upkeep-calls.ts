import { isAbsolute } from 'node:path';
import { isRefusal, refuse } from '../../domain/refusal.ts';
import { backUpLedger } from '../../ledger/backup.ts';
import type { RebuildAnswer } from '../contract.ts';
import type { Calls } from '../node-client.ts';

export interface UpkeepParts {
  readonly dataFolder: string;
  readonly ledgerFile: string;
  treeSettled(tasks?: readonly string[]): Promise<void>;
  rebuildTree(): Promise<Pick<RebuildAnswer, 'tasks' | 'failed' | 'events'>>;
}

/** The files of the data folder. */
export function upkeepCalls(parts: UpkeepParts): Pick<Calls, 'treeSettled' | 'rebuild' | 'backup'> {
  return {
    treeSettled: async ({ tasks } = {}) => {
      await parts.treeSettled(tasks);
      return { settled: true };
    },
    rebuild: async () => {
      const { tasks, failed, events } = await parts.rebuildTree();
      return { from: 'ledger', data: parts.dataFolder, tasks, failed, events };
    },
    backup: async ({ file, force = false }) => {
      if (!isAbsolute(file)) return refuse('invalid_argument', 'the path of the backup must be absolute', '/file');
      const facts = await backUpLedger({ ledger: parts.ledgerFile, file, force });
      return isRefusal(facts) ? facts : { file, ...facts };
    },
  };
}
