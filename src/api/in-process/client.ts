import type { Receive } from '../../messages/receive.ts';
import { followLedger } from '../events/follow-ledger.ts';
import type { NodeClient } from '../node-client.ts';
import { viewReceived } from '../views.ts';
import { batchOf } from './batch-call.ts';
import type { OrderCalls } from './order-calls.ts';
import { readCalls } from './read-calls.ts';
import { type RunCallParts, runCalls } from './run-calls.ts';
import { type ClientFor, clientsFor, type RightsParts } from './run-client.ts';
import { type TaskCallParts, taskCalls } from './task-calls.ts';
import { type UpkeepParts, upkeepCalls } from './upkeep-calls.ts';

export interface InProcessParts
  extends TaskCallParts,
    RunCallParts,
    UpkeepParts,
    Omit<Parameters<typeof readCalls>[0], 'read'> {
  readonly receive: Receive;
  readonly orders: OrderCalls;
  close(): Promise<void>;
}

/** The node itself, called without HTTP: by the operator, and by each caller through its own client. */
export interface InProcessNode {
  readonly client: NodeClient;
  readonly clientFor: ClientFor;
}

export function inProcessNode(parts: InProcessParts): InProcessNode {
  const { ledger } = parts;
  const receive: RightsParts['receive'] = async (text, channel, key) =>
    viewReceived(await parts.receive(text, channel, key));
  const client: NodeClient = {
    ...taskCalls(parts),
    ...runCalls(parts),
    ...readCalls({ ...parts, read: ledger.read, fullSinceMs: () => ledger.fullSinceMs }),
    ...parts.orders,
    ...upkeepCalls(parts),
    send: ({ text, run = null }, options) => receive(text, { kind: 'operator', run }, options?.key),
    follow: async (request, signal) => followLedger(ledger, request, signal),
    describeApi: async () => (await import('../describe-api.ts')).describeApi(),
    batch: batchOf(() => client),
    close: parts.close,
  };
  return { client, clientFor: clientsFor({ client, receive }) };
}
