import type { Round } from '../../domain/order/round.ts';
import { isRefusal, refuse } from '../../domain/refusal.ts';
import type { SentFact } from '../../domain/remote/sent-fact.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { NOT_TAKEN, selectSentTask, upsertSentTask } from '../../ledger/statements/federation/sent-tasks.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import { liveRunOf } from '../../ledger/statements/runs.ts';
import type { Tx } from '../../ledger/tx.ts';
import { type OrderedTask, orderOf, writeFact } from '../../operations/order/open-order.ts';
import { beginRound, refuseRepeated } from '../../operations/order/order-rounds.ts';
import { endRun } from '../../operations/run/end-run.ts';
import { type CreatedTask, createTask, type NewTask } from '../../operations/task/create-task.ts';
import { type TaskChange, transition, transitions } from '../../operations/task/transition.ts';
import { appendTaskCreate, type Sending, stopSending } from './append-task-create.ts';

export interface SentRound extends Round {
  readonly task: NewTask;
}

/** Stores an order that another node is to run, ready to be sent unless it waits for other tasks. */
export const submitSentOrder: Command<SentRound, CreatedTask> = (tx, { task: asked, ...round }) => {
  const { order } = round;
  const refusal = refuseRepeated(tx, order);
  if (refusal) return refusal;
  const created = createTask(tx, { ...asked, sessionId: order.sessionId });
  if (isRefusal(created)) return created;
  const begun = beginRound(tx, created.task, round);
  if (begun.task.dependsOn.length > 0) return { task: begun.task, events: created.events };
  const ready = toReady(tx, begun.task);
  return { task: ready.task, events: [...created.events, ...ready.events] };
};

/** An order that goes out now: state, fact, event and the row of the outbox are in one transaction. */
function markSent(tx: Tx, found: Omit<OrderedTask, 'kind'>, sending: Sending): LedgerEvent {
  const { task } = found;
  const row = selectSentTask(tx, task.id);
  if (row === null) throw new Error(`${task.id} has no row of a sent task`);
  const { corrId } = row;
  const sends = row.sends + 1;
  const at = tx.moment.now.wallMs;
  const { routes, capabilities, parcel } = sending.outgoing;
  const eventId = appendTaskCreate(tx, sending, { uid: task.uid, corrId, sends });
  upsertSentTask(tx, { ...row, ...NOT_TAKEN, eventId, sends, sentAt: at });
  return writeFact(tx, found, {
    kind: 'sent',
    eventId,
    corrId,
    to: routes.map(({ agent, node }) => ({ agent, node })),
    capabilities,
    ...(parcel !== null && { parcel }),
    at,
  });
}

export interface SendRequest {
  readonly taskId: TaskName;
  readonly sending: Sending;
  /** The nodes that had it before and are gone; absent for the first time. */
  readonly strayed?: StrayedOrder;
}

type StrayedOrder = Omit<Extract<SentFact, { readonly kind: 'strayed' }>, 'kind' | 'at'>;

/** Sends an order that waits, or sends it to others because those who had it are gone. */
export const sendOrder: Command<SendRequest, TaskChange> = (tx, { taskId, sending, strayed }) => {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return found;
  const { remote, outcome } = selectExecution(tx, found.order);
  const isDue = remote !== null && outcome === null && remote.answered === null && (remote.sent === null) === !strayed;
  if (!isDue) return refuse('stale_run', `${taskId} is not to be sent now`);
  const back = strayed ? takeBack(tx, found, strayed) : { task: found.task, events: [] };
  const ready = back.task.status === 'backlog' ? toReady(tx, back.task) : { task: back.task, events: [] };
  const sent = markSent(tx, { ...found, task: ready.task }, sending);
  return { task: ready.task, events: [...back.events, ...ready.events, sent] };
};

/** A node that was asked does not do it: the order is sent to others, if there are any. */
export function takeRefusal(tx: Tx, found: OrderedTask, strayed: StrayedOrder): void {
  takeBack(tx, found, strayed);
  const row = selectSentTask(tx, found.task.id);
  if (row) upsertSentTask(tx, { ...row, ...NOT_TAKEN, toldAt: tx.moment.now.wallMs });
}

function toReady(tx: Tx, task: Task): TaskChange {
  return transition(tx, task, { to: 'ready', actor: 'dispatcher', reason: 'ordered' });
}

/** Ends the run of a node that does not do it any more; its task is ready again. */
function takeBack(tx: Tx, found: OrderedTask, strayed: StrayedOrder): TaskChange {
  const { task } = found;
  const { nodes, reason, isRefused, isLacking } = strayed;
  const at = tx.moment.now.wallMs;
  const why = { ...(isRefused && { isRefused }), ...(isLacking && { isLacking }) };
  stopSending(tx, task.id);
  const fact = writeFact(tx, found, { kind: 'strayed', nodes, reason, ...why, at });
  const run = liveRunOf(tx, task);
  const ended = run === null ? [] : [endRun(tx, run, { status: 'failed', endReason: reason }).event];
  if (task.status === 'ready' || task.status === 'backlog') return { task, events: [fact, ...ended] };
  const moved = transitions(tx, task, { through: ['ready'], actor: 'dispatcher', reason, with: { runId: null } });
  return { task: moved.task, events: [fact, ...ended, ...moved.events] };
}
