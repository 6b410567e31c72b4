import type { NodeClient } from '../../api/node-client.ts';
import { NodeFault } from '../../api/node-fault.ts';
import { wasAskedToStop } from '../../node/ledger-guard.ts';
import type { FolderLock } from '../../platform/folder-lock.ts';
import { systemTimer } from '../../platform/timer.ts';
import type { Call } from '../command.ts';
import { openClient } from '../node/open-client.ts';
import type { CarryingNode } from './serve-run.ts';

/** The node that carried the order was asked to stop, so this process does not take its place. */
export class NodeStopped extends Error {}

/** Another process runs the order; if it is killed before the order is over, this process takes its place. */
export async function carriedElsewhere(call: Call, dataFolder: string): Promise<CarryingNode> {
  let own: CarryingNode | null = null;
  let task: string | null = null;
  const openHere = async (lock: FolderLock) => {
    if (task !== null && wasAskedToStop(dataFolder)) {
      lock.release();
      throw new NodeStopped();
    }
    const { serveRun } = await import('./serve-run.ts');
    own = await serveRun(call, dataFolder, lock);
    return own.client;
  };
  const onAgain = async (client: NodeClient) => {
    try {
      if (task !== null) await client.carryTask({ task });
    } catch (error) {
      // That node is gone as well: the next call connects again.
      if (!(error instanceof NodeFault)) throw error;
    }
  };
  const client = await openClient(call, { openHere, onAgain });
  return {
    client,
    carry: async (asked) => {
      task = asked;
      await client.carryTask({ task });
    },
    timer: systemTimer(),
    get isOurs() {
      return own !== null;
    },
    close: () => (own ?? client).close(),
  };
}
