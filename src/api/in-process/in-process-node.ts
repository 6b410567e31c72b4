import { isAbsolute } from 'node:path';
import { isRefusal, refuse } from '../../domain/refusal.ts';
import { backUpLedger } from '../../ledger/backup.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { Receive } from '../../messages/receive.ts';
import { FEDERATION_CALLS } from '../calls/federation-call-table.ts';
import { ANSWERED_NAMES } from '../calls.ts';
import type { AgentView, DashboardLink, RebuildAnswer } from '../contract.ts';
import { followLedger } from '../events/follow-ledger.ts';
import { refusedMessage } from '../message-answer.ts';
import { type AnyCall, type Calls, callNamed, callsMadeBy, type NodeClient } from '../node-client.ts';
import { viewReceived } from '../views.ts';
import { type ExchangeParts, exchangeCalls } from './exchange-calls.ts';
import type { FederationAccess, FederationCalls } from './federation-calls.ts';
import { type FeedbackParts, feedbackCalls } from './feedback-calls.ts';
import { type LedgerReadParts, ledgerReads, plainReads } from './ledger-reads.ts';
import type { OrderCalls } from './order-calls.ts';
import { batchOf, type ClientFor, clientsFor, type RightsParts } from './rights.ts';
import { type RunCallParts, runCalls, type TaskCallParts, taskCalls } from './task-calls.ts';

interface InProcessParts
  extends TaskCallParts,
    RunCallParts,
    UpkeepParts,
    LedgerReadParts,
    FeedbackParts,
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
  const client: NodeClient = {
    ...taskCalls(parts),
    ...runCalls(parts),
    ...ledgerReads(ledger, parts),
    ...parts.orders,
    ...feedbackCalls(parts),
    ...exchangeCalls(parts),
    ...federationCallsOf(parts),
    ...upkeepCalls(parts),
    send: ({ text, run = null }, options) => receive(text, { kind: 'operator', run }, options?.key),
    follow: async (request, signal) => followLedger(ledger, request, signal),
    describeApi: async () => (await import('../describe-api.ts')).describeApi(),
    batch: batchOf(() => client),
    close: parts.close,
  };
  return { client, clientFor: clientsFor({ client, receive }) };
}

/** Behind an import of their own: a node in no federation, and a command that makes no such call, needs none of it. */
function federationCallsOf({ federation, ledger }: InProcessParts): FederationCalls {
  const loaded = async () => (await import('./federation-calls.ts')).federationCalls(federation, ledger);
  const names = Object.keys(FEDERATION_CALLS) as (keyof FederationCalls)[];
  const calls = names.map((name) => {
    const call: AnyCall = async (request, options) => await callNamed(await loaded(), name)(request, options);
    return [name, call];
  });
  return Object.fromEntries(calls) as FederationCalls;
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
    ...plainReads({ read, dataFolder, isConfigured: () => true, fullSinceMs: () => nowMs }),
    send: async () => refusedMessage(refusal),
    treeSettled: async () => ({ settled: true }),
    follow: async () => refusal,
    batch: batchOf(() => client),
    close: async () => close(),
  };
  return client;
}

/** The pages of a node that listens. */
export interface DashboardServer {
  link(): DashboardLink;
  isLinkUsed(id: string): boolean;
}

interface UpkeepParts {
  /** Null in a node that does not listen. */
  dashboard(): Promise<DashboardServer | null>;
  readonly dataFolder: string;
  readonly ledgerFile: string;
  agents(): Promise<readonly AgentView[]>;
  /** Appends the files beside the ledger to the draft of a backup, and counts them. */
  packFiles(draft: string, withWork: boolean): number;
  /** The parts of a data folder that a backup does not have, for people. */
  leftOut(withWork: boolean): readonly string[];
  treeSettled(tasks?: readonly string[]): Promise<void>;
  rebuildTree(): Promise<Pick<RebuildAnswer, 'tasks' | 'failed' | 'events'>>;
}

/** The agents, the pages and the files of the data folder. */
function upkeepCalls(parts: UpkeepParts) {
  return {
    createLink: async () => (await parts.dashboard())?.link() ?? refuse('not_served', 'this node shows no pages'),
    showLink: async ({ link }) => ({ isUsed: (await parts.dashboard())?.isLinkUsed(link) ?? false }),
    listAgents: async () => ({ agents: await parts.agents() }),
    treeSettled: async ({ tasks } = {}) => {
      await parts.treeSettled(tasks);
      return { settled: true };
    },
    rebuild: async () => {
      const { tasks, failed, events } = await parts.rebuildTree();
      return { from: 'ledger', data: parts.dataFolder, tasks, failed, events };
    },
    backup: async ({ file, force = false, withWork = false }) => {
      if (!isAbsolute(file)) return refuse('invalid_argument', 'the path of the backup must be absolute', '/file');
      // A backup has the files of every change that was answered before it.
      await parts.treeSettled();
      const facts = await backUpLedger({
        ledger: parts.ledgerFile,
        file,
        force,
        appendFiles: (draft) => parts.packFiles(draft, withWork),
      });
      return isRefusal(facts) ? facts : { file, ...facts, leftOut: parts.leftOut(withWork) };
    },
  } satisfies Partial<Calls>;
}
