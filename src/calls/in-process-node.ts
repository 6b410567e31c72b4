import { ANSWERED_NAMES } from '../api/calls.ts';
import { followLedger } from '../api/events/follow-ledger.ts';
import { refusedMessage } from '../api/message-answer.ts';
import { callsMadeBy, type NodeClient } from '../api/node-client.ts';
import { viewReceived } from '../api/task/views.ts';
import { refuse } from '../domain/refusal.ts';
import type { Reader } from '../ledger/tx.ts';
import type { Receive } from '../messages/receive.ts';
import { readHolder } from '../operations/message/read-reach.ts';
import { externalCallsOf, federationCallsOf, type OnDemandParts, revokerOf } from './calls-on-demand.ts';
import { type LedgerReadParts, ledgerReads, plainReads } from './ledger-reads.ts';
import type { OrderCalls } from './order/order-calls.ts';
import { type ExchangeParts, exchangeCalls } from './review/exchange-calls.ts';
import { type FeedbackParts, feedbackCalls } from './review/feedback-calls.ts';
import { batchOf, type ClientFor, clientsFor } from './rights.ts';
import type { RightsParts } from './rights-parts.ts';
import { type RunCallParts, runCalls, type TaskCallParts, taskCalls } from './task/task-calls.ts';
import { type UpkeepParts, upkeepCalls } from './upkeep-calls.ts';

interface InProcessParts
  extends TaskCallParts,
    RunCallParts,
    UpkeepParts,
    LedgerReadParts,
    FeedbackParts,
    OnDemandParts,
    ExchangeParts {
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
    viewReceived(await parts.receive(text, channel, { key }));
  const client: NodeClient = {
    ...taskCalls(parts),
    ...runCalls(parts),
    ...ledgerReads(ledger, parts),
    ...parts.orders,
    ...feedbackCalls(parts),
    ...exchangeCalls(parts),
    ...federationCallsOf(parts),
    ...externalCallsOf(parts),
    ...upkeepCalls(parts),
    send: ({ text, run = null }, options) => receive(text, { kind: 'operator', run }, options?.key),
    follow: async (request, signal) => followLedger(ledger, request, signal),
    describeApi: async () => (await import('../api/describe-api.ts')).describeApi(),
    batch: batchOf(() => client),
    close: parts.close,
  };
  const holderOf = (runId: string) => readHolder(ledger.read, runId);
  return { client, clientFor: clientsFor({ client, receive, holderOf, revokeAs: revokerOf(ledger) }) };
}

interface FullDiskParts {
  readonly read: Reader;
  readonly dataFolder: string;
  readonly nowMs: number;
  close(): void;
}

/** A node that found no room to write: it answers reads of the ledger and refuses every other call. */
export function fullDiskClient({ read, dataFolder, nowMs, close }: FullDiskParts): NodeClient {
  const refusal = refuse('storage_full', 'the disk is full');
  const client: NodeClient = {
    ...callsMadeBy(ANSWERED_NAMES, () => async () => refusal),
    // An incident cannot be recorded on a full disk, so each answer has it.
    ...plainReads({ read, dataFolder, hasAgent: () => true, fullSinceMs: () => nowMs }),
    send: async () => refusedMessage(refusal),
    treeSettled: async () => ({ settled: true }),
    follow: async () => refusal,
    batch: batchOf(() => client),
    close: async () => close(),
  };
  return client;
}
