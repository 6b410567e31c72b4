import { refuse } from '../../domain/refusal.ts';
import type { Reader } from '../../ledger/tx.ts';
import { ANSWERED_NAMES } from '../calls.ts';
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
  const client: NodeClient = {
    ...callsMadeBy(ANSWERED_NAMES, () => async () => refusal),
    // An incident cannot be recorded on a full disk, so each answer has it.
    ...readCalls({ read, dataFolder, isConfigured: () => true, fullSinceMs: () => nowMs }),
    send: async () => refusedMessage(refusal),
    treeSettled: async () => ({ settled: true }),
    follow: async () => refusal,
    batch: batchOf(() => client),
    close: async () => close(),
  };
  return client;
}
