import type { TaskName } from '../domain/task/task.ts';
import type { Injection } from '../federation/inbox.ts';
import { appendEvent, type Sender } from '../federation/outbox.ts';
import type { Command } from '../ledger/commit-queue.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { selectQueued, updateInbox } from '../ledger/statements/federation/inbox.ts';
import { selectReceivedBy } from '../ledger/statements/federation/received-tasks.ts';
import { selectSentByUid } from '../ledger/statements/federation/sent-tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import type { SignalEnvelope } from '../protocols/runtime/schema/events.ts';

/** The signal by which a node says that the files of a task are not in the store: it may have lost them (runtime:content). */
const CONTENT_MISSING = 'task_content_missing';
/** Files that do not come are asked for this often. */
const ASK_MS = 15_000;
const ANSWERED_PER_TURN_MAX = 10;

type Holds = 'work' | 'result';

/** Content that this node has to have again. */
export interface MissingContent {
  readonly node: string;
  readonly uid: string;
  readonly corrId: string;
  readonly holds: Holds;
}

/** Asks other nodes for files that the store does not have, each now and then. */
export class ContentRequests {
  readonly #askedMs = new Map<string, number>();

  async ask(
    { ledger, sender }: { readonly ledger: Pick<Ledger, 'submit'>; readonly sender: Sender },
    { node, uid, corrId, holds }: MissingContent,
    nowMs: number,
  ): Promise<void> {
    const asked = this.#askedMs.get(corrId);
    if (asked !== undefined && nowMs >= asked && nowMs - asked < ASK_MS) return;
    this.#askedMs.set(corrId, nowMs);
    const payload = { signal: CONTENT_MISSING, taskId: uid, holds };
    const to = [{ agent: node, node, fence: null }];
    await ledger.submit(tellMissing, { sender, to, corrId, payload });
  }

  /** The files are there. */
  forget(corrId: string): void {
    this.#askedMs.delete(corrId);
  }
}

const tellMissing: Command<
  {
    readonly sender: Sender;
    readonly corrId: string;
    readonly payload: object;
    readonly to: Parameters<typeof appendEvent>[2]['to'];
  },
  { readonly eventId: string }
> = (tx, { sender, corrId, payload, to }) =>
  appendEvent(tx, sender, { kind: 'signal', fromAgent: sender.nodeId, to, corrId, payload });

interface MissingPayload {
  readonly signal?: unknown;
  readonly taskId?: unknown;
  readonly holds?: unknown;
}

/** Keeps a request for files until they are in the store again; null if the signal is another one. */
export function queueMissing({ payload }: SignalEnvelope): Injection | null {
  return (payload as MissingPayload).signal === CONTENT_MISSING ? { isQueued: true } : null;
}

/** Puts the files of tasks into the store again. */
export interface ContentKeeper {
  restore(task: TaskName, holds: Holds): Promise<void>;
}

interface ContentStore {
  readonly ledger: Pick<Ledger, 'read' | 'submit'>;
  /** Null on a node that lives for one command. */
  readonly content: ContentKeeper | null;
}

/** Answers requests for files. Those of a task that the asking node has no part in change nothing. */
export async function restoreContent({ ledger, content }: ContentStore): Promise<void> {
  if (content === null) return;
  for (const { eventId, envelope } of selectQueued(ledger.read, 'signal', ANSWERED_PER_TURN_MAX)) {
    const wanted = wantedTask(ledger.read, JSON.parse(envelope) as SignalEnvelope);
    if (wanted !== null) await content.restore(wanted.task, wanted.holds);
    await ledger.submit(endRequest, { eventId });
  }
}

const endRequest: Command<{ readonly eventId: string }, { readonly isEnded: true }> = (tx, { eventId }) => {
  updateInbox(tx, { eventId, isQueued: false, endedAs: null });
  return { isEnded: true };
};

function wantedTask(read: Reader, { payload, sourceNodeId, corrId = '' }: SignalEnvelope) {
  const { taskId: uid, holds } = payload as MissingPayload;
  if (holds === 'result') {
    const received = selectReceivedBy(read, sourceNodeId, corrId);
    return received?.taskId ? ({ task: received.taskId, holds } as const) : null;
  }
  const sent = holds === 'work' && typeof uid === 'string' ? selectSentByUid(read, uid) : null;
  return sent?.corrId === corrId ? ({ task: sent.taskId, holds: 'work' } as const) : null;
}
