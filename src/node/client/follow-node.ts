import type { EventView } from '../../api/contract.ts';
import { httpClient } from '../../api/http/http-client.ts';
import type { NodeClient } from '../../api/node-client.ts';
import { NodeFault } from '../../api/node-fault.ts';
import type { FollowRequest } from '../../api/requests.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { NodeOptions } from '../../node.ts';
import { silentLogger } from '../../platform/logger.ts';
import { systemTimer } from '../../platform/timer.ts';
import { findHolder } from '../folder/folder-holder.ts';

/** A node that stays while it is followed: one that is there, or this process, which is then a node for others too. */
export interface FollowedNode {
  readonly client: NodeClient;
  close(): Promise<void>;
}

export async function openFollowedNode(options: NodeOptions): Promise<FollowedNode> {
  const holder = await findHolder(options.dataFolder, options.timer ?? systemTimer());
  if (holder.kind === 'node') return { client: httpClient(holder.node), close: async () => undefined };
  const { serveNode } = await import('../serve-node.ts');
  const place = { host: '127.0.0.1', port: 0 };
  const { client, stop } = await serveNode({ ...options, lock: holder.lock, place, log: silentLogger });
  return { client, close: stop };
}

/** Each event once and in order, until the signal. When the node goes away, the next one continues. */
export async function* followNode(
  first: FollowedNode,
  options: NodeOptions,
  { signal, ...request }: FollowRequest & { readonly signal: AbortSignal },
): AsyncGenerator<EventView> {
  let node = first;
  let from = request;
  try {
    while (!signal.aborted) {
      try {
        const events = await node.client.follow(from, signal);
        if (isRefusal(events)) throw new NodeFault('follow', events.message, { retryable: false, code: events.code });
        for await (const event of events) {
          from = { ...request, after: event.eventId };
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
