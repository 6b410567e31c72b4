import type { NodeClient } from '../../api/node-client.ts';
import type { NodeOptions } from '../../node.ts';
import type { FolderLock } from '../../platform/files/folder-lock.ts';
import { systemTimer } from '../../platform/timer.ts';
import { findHolder } from '../folder/folder-holder.ts';

export interface ConnectOptions extends NodeOptions {
  /** Opens the node in this process, if no other process has it; by default for the time of one command. */
  openHere?(lock: FolderLock): Promise<NodeClient>;
  /** Called with the next node, before the calls that the last one did not answer. */
  onAgain?(client: NodeClient): Promise<void>;
}

/** Connects to the running node over HTTP, or opens the node in this process. */
export async function connectNode(options: ConnectOptions): Promise<NodeClient> {
  const { client, isHere } = await reachNode(options);
  if (isHere) return client;
  const { CurrentNode } = await import('./reconnecting-client.ts');
  const { reconnectingClient } = await import('./reconnecting-client.ts');
  const connectAgain = async () => {
    const again = await reachNode(options);
    await options.onAgain?.(again.client);
    return again.client;
  };
  return reconnectingClient(new CurrentNode({ first: client, timer: options.timer ?? systemTimer(), connectAgain }));
}

async function reachNode({ openHere, ...options }: ConnectOptions): Promise<{ client: NodeClient; isHere: boolean }> {
  const holder = await findHolder(options.dataFolder, options.timer ?? systemTimer());
  if (holder.kind === 'self' && openHere) return { client: await openHere(holder.lock), isHere: true };
  if (holder.kind === 'self') {
    // Loaded on demand: a client of a running node loads no node.
    const { openNode } = await import('../../node.ts');
    return { client: await openNode({ ...options, lock: holder.lock, isBrief: true }), isHere: true };
  }
  const { httpClient } = await import('../../api/http/http-client.ts');
  return { client: httpClient(holder.node), isHere: false };
}
