import { ANSWER_TEXT_CHARACTERS_MAX } from '../../domain/federation/federation-limits.ts';
import type { FailureClass } from '../../domain/order/failure-class.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { shorten } from '../../domain/words/shorten.ts';
import { endInbox } from '../../federation/acknowledge.ts';
import { isoInstant } from '../../federation/envelope.ts';
import { type AppendedEvent, appendEvent, type Sender } from '../../federation/outbox.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { type InboxRow, selectEventsOf, selectInbox, updateInbox } from '../../ledger/statements/federation/inbox.ts';
import {
  type ReceivedTask,
  selectReceived,
  upsertReceivedTask,
} from '../../ledger/statements/federation/received-tasks.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { submitOrder } from '../../operations/order/order-rounds.ts';
import { transition } from '../../operations/task/transition.ts';
import type { TaskCreateEnvelope } from '../../protocols/runtime/schema/events.ts';
import type { AdmittedTask, ReceivedEnd } from './received-work.ts';

/** Events about a task go to the node that sent it: its agents may be elsewhere by then. */
function senderOf(node: string) {
  return [{ agent: node, node, fence: null }];
}

/** Runtime §4: a sender that needs no response hears that the task was accepted and processed, and nothing else (runtime:response). */
function wantsResponse({ payload }: TaskCreateEnvelope): boolean {
  return payload.responseRequired !== false;
}

/** The event that brought a task; null where it was removed from the inbox. */
function createOf(tx: Tx, { eventId }: ReceivedTask): TaskCreateEnvelope | null {
  const row = selectInbox(tx, eventId);
  return row === null ? null : (JSON.parse(row.envelope) as TaskCreateEnvelope);
}

type TaskEventKind = 'task_accept' | 'task_update' | 'task_complete' | 'task_failed';

interface TaskNews {
  readonly kind: TaskEventKind;
  readonly agent: string;
  readonly source: string;
  readonly corrId: string;
  readonly payload: object;
}

function tell(tx: Tx, sender: Sender, { kind, agent, source, corrId, payload }: TaskNews): AppendedEvent {
  return appendEvent(tx, sender, { kind, fromAgent: agent, to: senderOf(source), corrId, payload });
}

export interface RefusedTask {
  readonly sender: Sender;
  readonly row: InboxRow;
  readonly agent: string;
  readonly failureClass: FailureClass;
  readonly message: string;
}

/** Refuses a task before anything of it has begun: the reason, and the final acknowledgement. */
export const refuseReceivedTask: Command<RefusedTask, { readonly isRefused: true }> = (tx, refused) => {
  answerRefused(tx, refused);
  return { isRefused: true };
};

export function answerRefused(tx: Tx, { sender, row, agent, failureClass, message }: RefusedTask): void {
  const envelope = JSON.parse(row.envelope) as TaskCreateEnvelope;
  const failedAt = isoInstant(tx.moment.now.wallMs);
  const errorSummary = shorten(message, ANSWER_TEXT_CHARACTERS_MAX);
  const payload = { taskId: envelope.payload.taskId, failedByAgentId: agent, failureClass, errorSummary, failedAt };
  if (wantsResponse(envelope)) {
    tell(tx, sender, { kind: 'task_failed', agent, source: row.source, corrId: envelope.corrId, payload });
  }
  endInbox(tx, sender, { eventId: row.eventId, type: 'failed_terminal' });
}

export interface AcceptedTask {
  readonly sender: Sender;
  readonly row: InboxRow;
  readonly received: ReceivedTask;
  readonly etaSeconds: number;
  readonly admitted: AdmittedTask;
}

/**
 * Accepts a task before anything of it runs (Runtime §4): the task_accept, and the task with its order, in one commit. Where it was
 * sent to several, its order begins when its sender has confirmed that this node was the first.
 */
export const acceptTask: Command<AcceptedTask, { readonly received: ReceivedTask }> = (tx, accepted) => {
  const { sender, row, received, etaSeconds, admitted } = accepted;
  if (selectReceived(tx, row.eventId) !== null) throw new Error(`${row.eventId} was accepted before`);
  const begun = received.state === 'accepted' ? submitOrder(tx, admitted.round) : null;
  if (isRefusal(begun)) return begun;
  const taskId = begun?.task.id ?? null;
  const { agent, source, corrId, uid, etaAt } = received;
  const envelope = JSON.parse(row.envelope) as TaskCreateEnvelope;
  const payload = {
    taskId: uid,
    acceptedByAgentId: agent,
    etaAt: instantBefore(etaAt, envelope.payload.deadlineAt),
    planSummary: admitted.plan,
    etaSeconds,
    ...(taskId !== null && { x_task: taskId }),
  };
  const { eventId: acceptId } = tell(tx, sender, { kind: 'task_accept', agent, source, corrId, payload });
  updateInbox(tx, { eventId: row.eventId, isQueued: false, endedAs: null });
  const kept = { ...received, acceptId, taskId };
  upsertReceivedTask(tx, kept);
  noteReceived(tx, kept);
  return { received: kept };
};

/** By the clock of the sender where its deadline comes first: on the wire an estimate is never after the deadline. */
function instantBefore(at: number, deadlineAt: string | undefined): string {
  const latest = deadlineAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(deadlineAt);
  return isoInstant(Math.min(at, latest));
}

function noteReceived(tx: Tx, { taskId, requester, source, agent, etaAt, uid }: ReceivedTask): void {
  const payload = { from: requester, node: source, uid, etaAt: isoInstant(etaAt) };
  insertEvent(tx, { type: 'task.received', actor: agent, taskId, payload });
}

/** The sender has confirmed that this node was the first of several: its order begins. */
export const beginOffered: Command<Pick<AcceptedTask, 'received' | 'admitted'>, { readonly received: ReceivedTask }> = (
  tx,
  { received, admitted },
) => {
  const known = selectReceived(tx, received.eventId);
  if (known?.state !== 'offered') return { received };
  const begun = submitOrder(tx, admitted.round);
  if (isRefusal(begun)) return begun;
  const kept = { ...known, state: 'accepted', taskId: begun.task.id } as const;
  upsertReceivedTask(tx, kept);
  return { received: kept };
};

/** Another of several recipients was the first, or the agent has moved to another node: nothing more is told about it. */
export const dropReceived: Command<{ readonly received: ReceivedTask }, { readonly isDropped: true }> = (
  tx,
  { received },
) => {
  const known = selectReceived(tx, received.eventId);
  if (known && known.state !== 'ended') upsertReceivedTask(tx, { ...known, state: 'ended' });
  updateInbox(tx, { eventId: received.eventId, isQueued: false, endedAs: 'failed_terminal' });
  return { isDropped: true };
};

/** The sender has sent a task again that this node does already: with its end both events are processed. */
export const dropRepeated: Command<{ readonly eventId: string }, { readonly isDropped: true }> = (tx, { eventId }) => {
  updateInbox(tx, { eventId, isQueued: false, endedAs: null });
  return { isDropped: true };
};

export interface TaskProgress {
  readonly sender: Sender;
  readonly received: ReceivedTask;
  readonly status: string;
  readonly progress: number | null;
  readonly note: string | null;
  readonly revisedEtaAt: number | null;
  /** The last event of the task that this tells of. */
  readonly seq: number;
}

export const tellProgress: Command<TaskProgress, { readonly isTold: boolean }> = (tx, told) => {
  const { sender, received, status, progress, note, revisedEtaAt, seq } = told;
  const known = selectReceived(tx, received.eventId);
  if (known?.state !== 'accepted') return { isTold: false };
  const asked = createOf(tx, known);
  const { agent, source, corrId, uid } = known;
  const payload = {
    taskId: uid,
    status,
    ...(progress !== null && { progress }),
    ...(note !== null && { note: shorten(note, ANSWER_TEXT_CHARACTERS_MAX) }),
    ...(revisedEtaAt !== null && { revisedEtaAt: instantBefore(revisedEtaAt, asked?.payload.deadlineAt) }),
  };
  const isWanted = asked === null || wantsResponse(asked);
  if (isWanted) tell(tx, sender, { kind: 'task_update', agent, source, corrId, payload });
  const toldAt = tx.moment.now.wallMs;
  const toldProgress = progress ?? known.toldProgress;
  upsertReceivedTask(tx, {
    ...known,
    toldStatus: status,
    toldProgress,
    toldSeq: seq,
    toldAt,
    etaAt: revisedEtaAt ?? known.etaAt,
  });
  return { isTold: isWanted };
};

export interface EndedTask {
  readonly sender: Sender;
  readonly received: ReceivedTask;
  readonly end: ReceivedEnd;
}

/** The end of a task for its sender: with it the terminal outcome exists, and the event is processed (Runtime §5.3). */
export const answerTask: Command<EndedTask, { readonly isAnswered: boolean }> = (tx, { sender, received, end }) => {
  const known = selectReceived(tx, received.eventId);
  if (known?.state !== 'accepted') return { isAnswered: false };
  const { agent, source, corrId } = known;
  const { kind, payload } = payloadOfEnd(known, end, isoInstant(tx.moment.now.wallMs));
  const asked = createOf(tx, known);
  if (asked === null || wantsResponse(asked)) tell(tx, sender, { kind, agent, source, corrId, payload });
  for (const eventId of selectEventsOf(tx, { source, corrId, kind: 'task_create' })) {
    endInbox(tx, sender, { eventId, type: 'processed', agent: known.recipient });
  }
  upsertReceivedTask(tx, { ...known, state: 'ended' });
  const told = { node: source, kind, message: end.outcome.message };
  insertEvent(tx, { type: 'task.returned', actor: agent, taskId: known.taskId, payload: told });
  closeHere(tx, known);
  return { isAnswered: true };
};

function payloadOfEnd({ uid, agent, taskId }: ReceivedTask, end: ReceivedEnd, at: string) {
  const { failureClass, outcome, resultRef, output, parcel } = end;
  const own = {
    x_outcome: outcome,
    ...(taskId !== null && { x_task: taskId }),
    ...(parcel !== null && { x_result: parcel }),
  };
  if (failureClass !== null) {
    const failure = { failureClass, errorSummary: outcome.message, failedAt: at };
    return { kind: 'task_failed', payload: { taskId: uid, failedByAgentId: agent, ...failure, ...own } } as const;
  }
  const result = { resultSummary: outcome.summary || outcome.message, ...(resultRef !== null && { resultRef }) };
  const extensions = { ...own, ...(output !== undefined && { x_output: output }) };
  return {
    kind: 'task_complete',
    payload: { taskId: uid, completedByAgentId: agent, ...result, completedAt: at, ...extensions },
  } as const;
}

/** Its sender looks at the work: here nobody has to. */
function closeHere(tx: Tx, { taskId, source }: ReceivedTask): void {
  const task = taskId === null ? null : selectTask(tx, taskId);
  const move = { actor: 'dispatcher', reason: `answered to ${source}` } as const;
  if (task?.status === 'review') transition(tx, task, { ...move, to: 'done' });
  else if (task?.status === 'blocked' || task?.status === 'deadletter')
    transition(tx, task, { ...move, to: 'cancelled' });
}
