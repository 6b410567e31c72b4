import { LOCK_WAIT_MS_MAX } from '../../domain/limits.ts';
import { findHolder } from '../../node/folder-holder.ts';
import { systemTimer } from '../../platform/timer.ts';
import { ownFolderOf } from '../call-folder.ts';
import type { Call } from '../command.ts';
import { openClient } from '../open-client.ts';
import { startNodeDetached } from '../start-node-detached.ts';
import type { RunNode } from './run-node.ts';

/** For an order that nobody waits for: a node that stays. */
export async function openLastingNode(call: Call): Promise<RunNode> {
  const dataFolder = ownFolderOf(call);
  const holder = await findHolder(dataFolder, systemTimer(), LOCK_WAIT_MS_MAX);
  if (holder.kind === 'self') {
    holder.lock.release();
    await startNodeDetached(call, dataFolder);
  }
  const client = await openClient(call);
  return { client, isOurs: false, close: () => client.close() };
}
