import type { EventView, NodeClient } from '../api/contract.ts';
import { httpClient } from '../api/http/client.ts';
import { type FollowRequest, followEvents } from '../api/http/follow-events.ts';
import { NodeFault } from '../api/http/node-fault.ts';
import { LOCK_WAIT_MS_MAX } from '../domain/limits.ts';
import type { NodeOptions } from '../node.ts';
import { silentLogger } from '../platform/logger.ts';
import type { NodeFile } from '../platform/node-file.ts';
import { systemTimer } from '../platform/timer.ts';
import { findHolder } from './folder-holder.ts';

/** A node to follow: one that is there, or this process, which is then a node for all others too. */
export interface FollowedNode {
  readonly client: NodeClient;
  readonly file: NodeFile;
  close(): Promise<void>;
}

export async function openFollowedNode(options: NodeOptions): Promise<FollowedNode> {
  const holder = await findHolder(options.dataFolder, options.timer ?? systemTimer(), LOCK_WAIT_MS_MAX);
  if (holder.kind === 'node')
    return { client: httpClient(holder.node), file: holder.node, close: async () => undefined };
  const { serveNode } = await import('./serve-node.ts');
  const place = { host: '127.0.0.1', port: 0 };
  const { client, file, stop } = await serveNode({ ...options, lock: holder.lock, place, log: silentLogger });
  return { client, file, close: stop };
}

/** Each event once and in order, until the signal; where the node goes away, of the one that takes its place. */
export async function* followNode(
  first: FollowedNode,
  options: NodeOptions,
  request: FollowRequest & { readonly signal: AbortSignal },
): AsyncGenerator<EventView> {
  let node = first;
  let { after } = request;
  try {
    while (!request.signal.aborted) {
      try {
        for await (const event of followEvents(node.file, { ...request, after })) {
          after = event.eventId;
          yield event;
        }
      } catch (error) {
        if (!(error instanceof NodeFault && error.retryable)) throw error;
        await node.close();
        node = await openFollowedNode(options);
      }
    }
  } finally {
    await node.close();
  }
}
