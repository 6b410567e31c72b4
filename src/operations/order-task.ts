import type { OrderNotes } from '../domain/execution/fact.ts';
import type { Continued } from '../domain/execution/work-fact.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { Order, Provenance, SentMessage } from '../domain/order.ts';
import type { OrderFlags } from '../domain/order-request.ts';
import { refuse } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertOrder, type OrderRow, selectOrder } from '../ledger/statements/orders.ts';
import { insertFact } from '../ledger/statements/run-facts.ts';
import { selectTask, updateTaskOrder } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';

/** A decided order, the caller's flags, and the text it was read from. */
export interface NewRound {
  readonly order: Order;
  readonly request?: OrderFlags;
  readonly notes?: OrderNotes;
  /** The work that the round goes on with. */
  readonly continues?: Continued;
  readonly provenance: Provenance;
  /** Absent if an older Baton accepted the order, and only its text is known. */
  readonly message?: SentMessage;
}

export interface TaskOrder extends NewRound {
  readonly taskId: TaskName;
}

/** Begins a round of a task that was made by hand or is retried. */
export const orderTask: Command<TaskOrder, { readonly task: Task; readonly events: readonly LedgerEvent[] }> = (
  tx,
  { taskId, ...round },
) => {
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  if (task.status !== 'ready') return refuse('invalid_transition', `${taskId} is ${task.status}, not ready`);
  if (selectOrder(tx, taskId)?.isOpen) return refuse('already_claimed', `${taskId} is being carried out`);
  beginRound(tx, task, round);
  return { task, events: [] };
};

/** The next round of a task: its row, and the order as its first fact. */
export function beginRound(
  tx: Tx,
  task: Task,
  { order, provenance, message, request, notes, continues }: NewRound,
): { readonly task: Task; readonly order: OrderRow } {
  const round = (selectOrder(tx, task.id)?.round ?? 0) + 1;
  const at = tx.moment.now.wallMs;
  const { sessionId, taskId: senderTaskId } = order;
  const row: OrderRow = { taskId: task.id, round, sessionId, senderTaskId, provenance, at, isOpen: true };
  insertOrder(tx, row);
  const read = message !== undefined && { message };
  const beside = { ...read, ...(request && { request }), ...(notes && { notes }), ...(continues && { continues }) };
  insertFact(tx, row, { kind: 'ordered', order, ...beside, at });
  const ordered = { ...task, sessionId, work: null };
  if (task.sessionId !== sessionId || task.work !== null) updateTaskOrder(tx, ordered);
  return { task: ordered, order: row };
}
