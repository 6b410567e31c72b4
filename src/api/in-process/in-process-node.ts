import type { RunHolder } from '../../domain/channel.ts';
import { refuse } from '../../domain/refusal.ts';
import { selectRun } from '../../ledger/statements/runs.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { Receive } from '../../messages/receive.ts';
import { EXTERNAL_CALLS } from '../calls/external-call-table.ts';
import { FEDERATION_CALLS } from '../calls/federation-call-table.ts';
import { ANSWERED_NAMES, type AnsweredName } from '../calls.ts';
import { followLedger } from '../events/follow-ledger.ts';
import { refusedMessage } from '../message-answer.ts';
import { type AnyCall, type Calls, callNamed, callsMadeBy, type NodeClient } from '../node-client.ts';
import { viewReceived } from '../views.ts';
import { type ExchangeParts, exchangeCalls } from './exchange-calls.ts';
import type { ExternalCallParts, ExternalCalls } from './external-calls.ts';
import type { FederationAccess, FederationCalls } from './federation-calls.ts';
import { type FeedbackParts, feedbackCalls } from './feedback-calls.ts';
import { type LedgerReadParts, ledgerReads, plainReads } from './ledger-reads.ts';
import { withNamedTasks } from './name-tasks.ts';
import type { OrderCalls } from './order-calls.ts';
import { batchOf, type ClientFor, clientsFor, type RightsParts } from './rights.ts';
import { type RunCallParts, runCalls, type TaskCallParts, taskCalls } from './task-calls.ts';
import { type UpkeepParts, upkeepCalls } from './upkeep-calls.ts';

interface InProcessParts
  extends TaskCallParts,
    RunCallParts,
    UpkeepParts,
    LedgerReadParts,
    FeedbackParts,
    ExternalCallParts,
    ExchangeParts {
  readonly receive: Receive;
  readonly orders: OrderCalls;
  readonly federation: FederationAccess;
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
  const plain: NodeClient = {
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
    describeApi: async () => (await import('../describe-api.ts')).describeApi(),
    batch: batchOf(() => client),
    close: parts.close,
  };
  const client = withNamedTasks(plain, ledger.read);
  const revokeAs: RightsParts['revokeAs'] = async (who, actor) =>
    await (await import('./external-calls.ts')).revokeAs(ledger, who, actor);
  const holderOf = (runId: string) => readHolder(ledger.read, runId);
  return { client, clientFor: clientsFor({ client, receive, holderOf, revokeAs }) };
}

/** Behind an import of their own: a node in no federation, and a command that makes no such call, needs none of it. */
function federationCallsOf({ federation, ledger }: InProcessParts): FederationCalls {
  const loaded = async () => (await import('./federation-calls.ts')).federationCalls(federation, ledger);
  return callsOnDemand(Object.keys(FEDERATION_CALLS) as (keyof FederationCalls)[], loaded);
}

function externalCallsOf(parts: ExternalCallParts): ExternalCalls {
  const loaded = async () => (await import('./external-calls.ts')).externalCalls(parts);
  return callsOnDemand(Object.keys(EXTERNAL_CALLS) as (keyof ExternalCalls)[], loaded);
}

function callsOnDemand<Name extends AnsweredName>(
  names: readonly Name[],
  loaded: () => Promise<Pick<Calls, Name>>,
): Pick<Calls, Name> {
  const calls = names.map((name) => {
    const call: AnyCall = async (request, options) => await callNamed(await loaded(), name)(request, options);
    return [name, call];
  });
  return Object.fromEntries(calls) as Pick<Calls, Name>;
}

function readHolder(read: Reader, runId: string): RunHolder | null {
  const run = selectRun(read, runId);
  const task = run && selectTask(read, run.taskId);
  return run && task && { taskId: task.id, taskUid: task.uid, runId, agent: run.agent };
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
