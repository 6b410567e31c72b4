import { LOCK_WAIT_MS_MAX } from '../../domain/limits.ts';
import { findHolder } from '../../node/folder-holder.ts';
import type { FolderLock } from '../../platform/folder-lock.ts';
import { systemTimer } from '../../platform/timer.ts';
import { ownFolderOf } from '../call-folder.ts';
import type { Call } from '../command.ts';
import { openClient } from '../open-client.ts';
import type { CarryingNode } from './serve-run.ts';

/** Who carries out the order of this call; without anybody there, this process is the node until it is done. */
export async function openRunNode(call: Call): Promise<CarryingNode> {
  const dataFolder = ownFolderOf(call);
  const holder = await findHolder(dataFolder, systemTimer(), LOCK_WAIT_MS_MAX);
  if (holder.kind === 'self' && !call.flags.detach) {
    const { serveRun } = await import('./serve-run.ts');
    return await serveRun(call, dataFolder, holder.lock);
  }
  if (holder.kind === 'self') {
    // Nobody waits for this order: a node that stays carries it.
    holder.lock.release();
    const { startNodeDetached } = await import('../start-node-detached.ts');
    await startNodeDetached(call, dataFolder);
  }
  return await carriedElsewhere(call, dataFolder);
}

/** Another process carries it; should that end before the order does, this one takes its place. */
async function carriedElsewhere(call: Call, dataFolder: string): Promise<CarryingNode> {
  let own: CarryingNode | null = null;
  const openHere = async (lock: FolderLock) => {
    const { serveRun } = await import('./serve-run.ts');
    own = await serveRun(call, dataFolder, lock);
    return own.client;
  };
  const client = await openClient(call, { openHere });
  return {
    client,
    get isOurs() {
      return own !== null;
    },
    close: () => (own ?? client).close(),
  };
}
