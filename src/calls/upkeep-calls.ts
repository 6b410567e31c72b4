import { isAbsolute } from 'node:path';
import type { AgentView, DashboardLink, RebuildAnswer } from '../api/contract.ts';
import type { Calls } from '../api/node-client.ts';
import { isRefusal, refuse } from '../domain/refusal.ts';
import { backUpLedger } from '../ledger/backup.ts';

/** The pages of a node that listens. */
export interface DashboardServer {
  link(): DashboardLink;
  isLinkUsed(id: string): boolean;
}

export interface UpkeepParts {
  /** Null in a node that does not listen. */
  dashboard(): Promise<DashboardServer | null>;
  readonly dataFolder: string;
  readonly ledgerFile: string;
  agents(): Promise<readonly AgentView[]>;
  /** Appends the files beside the ledger to the draft of a backup, and counts them. */
  packFiles(draft: string, withWork: boolean): number;
  /** The parts of a data folder that a backup does not have, for people. */
  leftOut(withWork: boolean): readonly string[];
  treeSettled(tasks?: readonly string[]): Promise<void>;
  rebuildTree(): Promise<Pick<RebuildAnswer, 'tasks' | 'failed' | 'events'>>;
}

/** The agents, the pages and the files of the data folder. */
export function upkeepCalls(parts: UpkeepParts) {
  return {
    createLink: async () => (await parts.dashboard())?.link() ?? refuse('not_served', 'this node shows no pages'),
    showLink: async ({ link }) => ({ isUsed: (await parts.dashboard())?.isLinkUsed(link) ?? false }),
    listAgents: async () => ({ agents: await parts.agents() }),
    treeSettled: async ({ tasks } = {}) => {
      await parts.treeSettled(tasks);
      return { settled: true };
    },
    rebuild: async () => {
      const { tasks, failed, events } = await parts.rebuildTree();
      return { from: 'ledger', data: parts.dataFolder, tasks, failed, events };
    },
    backup: async ({ file, force = false, withWork = false }) => {
      if (!isAbsolute(file)) return refuse('invalid_argument', 'the path of the backup must be absolute', '/file');
      // A backup has the files of every change that was answered before it.
      await parts.treeSettled();
      const facts = await backUpLedger({
        ledger: parts.ledgerFile,
        file,
        force,
        appendFiles: (draft) => parts.packFiles(draft, withWork),
      });
      return isRefusal(facts) ? facts : { file, ...facts, leftOut: parts.leftOut(withWork) };
    },
  } satisfies Partial<Calls>;
}
