import type { NodeClient } from '../api/contract.ts';
import { LOCK_WAIT_MS_MAX } from '../domain/limits.ts';
import type { NodeOptions } from '../node.ts';
import { systemTimer } from '../platform/timer.ts';
import { findHolder } from './folder-holder.ts';
import { steadyClient } from './steady-client.ts';

export interface Connection {
  readonly client: NodeClient;
  /** The node is another process and goes on without this one. */
  readonly staysOn: boolean;
}

/** The one place that decides: the node that is there, over HTTP, or this process while it lives. */
export async function connectNode(options: NodeOptions): Promise<Connection> {
  const holder = await findHolder(options.dataFolder, options.timer ?? systemTimer(), LOCK_WAIT_MS_MAX);
  if (holder.kind === 'self') {
    // Behind imports of their own: who talks to a node loads no node.
    const { openNode } = await import('../node.ts');
    return { client: await openNode({ ...options, lock: holder.lock }), staysOn: false };
  }
  const { httpClient } = await import('../api/http/client.ts');
  const again = async () => (await connectNode(options)).client;
  return { client: steadyClient(httpClient(holder.node), again), staysOn: true };
}
