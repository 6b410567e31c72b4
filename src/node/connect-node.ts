import type { NodeClient } from '../api/contract.ts';
import { LOCK_WAIT_MS_MAX } from '../domain/limits.ts';
import type { NodeOptions } from '../node.ts';
import { systemTimer } from '../platform/timer.ts';
import { findHolder } from './folder-holder.ts';
import { steadyClient } from './steady-client.ts';

/** The one place that decides: the node that is there, over HTTP, or this process while it lives. */
export async function connectNode(options: NodeOptions): Promise<NodeClient> {
  const holder = await findHolder(options.dataFolder, options.timer ?? systemTimer(), LOCK_WAIT_MS_MAX);
  if (holder.kind === 'self') {
    // Behind imports of their own: who talks to a node loads no node.
    const { openNode } = await import('../node.ts');
    return await openNode({ ...options, lock: holder.lock, isBrief: true });
  }
  const { httpClient } = await import('../api/http/client.ts');
  return steadyClient(httpClient(holder.node), () => connectNode(options));
}
