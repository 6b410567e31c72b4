import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { NodeClient, SendAnswer, StatusAnswer } from '../contract.ts';
import { LookCalls } from './look-calls.ts';
import { statusOf } from './status-call.ts';

export interface FullDiskParts {
  readonly read: Reader;
  readonly dataFolder: string;
  readonly nowMs: number;
  close(): void;
}

/** A node that found no room to write: it shows what it has and refuses every change (P-E9). */
export function fullDiskClient({ read, dataFolder, nowMs, close }: FullDiskParts): NodeClient {
  const look = new LookCalls(read);
  const refusal = refuse('storage_full', 'the disk is full');
  const refused = async (): Promise<Refusal> => refusal;
  return {
    createTask: refused,
    listTasks: async (request) => look.list(request),
    showTask: async (reference) => look.show(reference),
    moveTask: refused,
    editTask: refused,
    cancelTask: refused,
    retryTask: refused,
    dependTask: refused,
    claimTask: refused,
    beatTask: refused,
    endTask: refused,
    send: async () => refusedMessage(refusal),
    events: async (request) => look.events(request),
    status: async () => withoutRoom(statusOf(read, dataFolder), nowMs),
    planOrder: refused,
    submitOrder: refused,
    orderReport: refused,
    stopOrder: refused,
    readLog: refused,
    diffWork: refused,
    applyWork: refused,
    discardWork: refused,
    undoWork: refused,
    verifyWork: refused,
    rebuild: refused,
    backup: refused,
    treeSettled: async () => {},
    close: async () => close(),
  };
}

function refusedMessage({ code, message, hint }: Refusal): SendAnswer {
  return { verdict: 'refused', code, errors: [{ path: '', message }], hint, events: [], task: null };
}

/** The condition is seen where people look; it cannot be written down. */
function withoutRoom(status: StatusAnswer, nowMs: number): StatusAnswer {
  const openedAt = new Date(nowMs).toISOString();
  const detail = 'the disk is full: nothing can be changed until there is room';
  return {
    ...status,
    incidents: [{ id: '', kind: 'storage_full', taskId: null, detail, openedAt }, ...status.incidents],
  };
}
