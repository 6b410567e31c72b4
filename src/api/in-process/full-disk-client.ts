import { refuse } from '../../domain/refusal.ts';
import type { Reader } from '../../ledger/tx.ts';
import { ANSWERED_NAMES } from '../calls.ts';
import type { StatusAnswer } from '../contract.ts';
import { refusedMessage } from '../message-answer.ts';
import { callsMadeBy, type NodeClient } from '../node-client.ts';
import { batchOf } from './batch-call.ts';
import { readCalls } from './read-calls.ts';

export interface FullDiskParts {
  readonly read: Reader;
  readonly dataFolder: string;
  readonly nowMs: number;
  close(): void;
}

/** A node that found no room to write: it answers reads of the ledger and refuses every other call. */
export function fullDiskClient({ read, dataFolder, nowMs, close }: FullDiskParts): NodeClient {
  const refusal = refuse('storage_full', 'the disk is full');
  const reads = readCalls({ read, dataFolder, isConfigured: () => true });
  const client: NodeClient = {
    ...callsMadeBy(ANSWERED_NAMES, () => async () => refusal),
    ...reads,
    status: async () => withoutRoom(await reads.status(), nowMs),
    send: async () => refusedMessage(refusal),
    treeSettled: async () => ({ settled: true }),
    follow: async () => refusal,
    batch: batchOf(() => client),
    close: async () => close(),
  };
  return client;
}

/** An incident cannot be recorded on a full disk, so it is added to the answer. */
function withoutRoom(status: StatusAnswer, nowMs: number): StatusAnswer {
  const openedAt = new Date(nowMs).toISOString();
  const detail = 'the disk is full: nothing can be changed until there is room';
  return {
    ...status,
    incidents: [{ id: '', kind: 'storage_full', taskId: null, detail, openedAt }, ...status.incidents],
  };
}
