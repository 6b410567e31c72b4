import type { Fact } from '../domain/execution/fact.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { closeOrder, type OrderRow, selectOrder } from '../ledger/statements/orders.ts';
import { insertFact } from '../ledger/statements/run-facts.ts';
import { updateRunProcess } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import { EVENT_OF, type LoggedFact, payloadOf } from './event-of-fact.ts';

/** Facts that only add knowledge; each of the others has its own operation. */
export type PlainFact = Exclude<Fact, { readonly kind: 'ordered' | 'leased' | 'requeued' | 'settled' }>;

export interface FactReport {
  readonly taskId: TaskName;
  readonly fact: PlainFact;
}

/**
 * Records a fact about an order. A fact from a run that no longer holds its task is refused, except `collected`: Baton
 * itself inspects what the run left behind, also when nobody holds the task any more.
 */
export const recordFact: Command<FactReport, { readonly events: readonly LedgerEvent[] }> = (tx, { taskId, fact }) => {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return found;
  const { task, order } = found;
  const isInspection = fact.kind === 'collected' && task.runId === null;
  if ('runId' in fact && fact.runId !== task.runId && !isInspection) {
    return refuse('stale_run', `${fact.runId} does not hold ${taskId} any more`);
  }
  if (fact.kind === 'launched' && fact.pid !== null) {
    updateRunProcess(tx, fact.runId, { pid: fact.pid, startTicks: fact.startTicks ?? 0 });
  }
  if (fact.kind === 'reported') closeOrder(tx, order);
  return { events: [writeFact(tx, found, fact)] };
};

export type OrderedTask = { readonly kind: 'ordered'; readonly task: Task; readonly order: OrderRow };

/** A task with an order that is not reported yet. */
export function orderOf(tx: Tx, taskId: TaskName): OrderedTask | Refusal {
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  const order = selectOrder(tx, taskId);
  if (!order?.isOpen) {
    const hint = 'baton status shows what runs and waits';
    return { ...refuse('not_running', `${taskId} is not being carried out`), hint };
  }
  return { kind: 'ordered', task, order };
}

/** The fact and its event, in the open transaction. */
export function writeFact(tx: Tx, { task, order }: Omit<OrderedTask, 'kind'>, fact: LoggedFact): LedgerEvent {
  insertFact(tx, order, fact);
  const actor = fact.kind === 'stop-requested' ? fact.by : 'dispatcher';
  const runId = 'runId' in fact ? fact.runId : task.runId;
  return insertEvent(tx, { type: EVENT_OF[fact.kind], actor, taskId: task.id, runId, payload: payloadOf(fact, order) });
}
