import { assertNever } from '../domain/assert-never.ts';
import type { Fact } from '../domain/execution/fact.ts';
import type { EventType, LedgerEvent } from '../domain/ledger-event.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/insert-event.ts';
import { closeOrder, type StoredOrder, selectOrder } from '../ledger/statements/orders.ts';
import { insertFact } from '../ledger/statements/run-facts.ts';
import { selectRun } from '../ledger/statements/select-run.ts';
import { selectTask } from '../ledger/statements/select-task.ts';
import { updateRunProcess } from '../ledger/statements/update-run.ts';
import type { Tx } from '../ledger/tx.ts';

/** Facts that change nothing but what is known; the others have an operation of their own. */
export type PlainFact = Exclude<Fact, { readonly kind: 'leased' | 'requeued' | 'settled' }>;

export interface FactReport {
  readonly taskId: TaskName;
  readonly fact: PlainFact;
}

/** Writes down what has become known of an order. A run that no longer holds its task is not heard. */
export const recordFact: Command<FactReport, { readonly events: readonly LedgerEvent[] }> = (tx, { taskId, fact }) => {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return found;
  const { task, order } = found;
  if ('runId' in fact && fact.runId !== task.runId) {
    return refuse('stale_run', `${fact.runId} does not hold ${taskId} any more`);
  }
  if (fact.kind === 'launched') noteProcess(tx, fact);
  if (fact.kind === 'reported') closeOrder(tx, order);
  return { events: [writeFact(tx, found, fact)] };
};

export type OrderedTask = { readonly kind: 'ordered'; readonly task: Task; readonly order: StoredOrder };

/** A task with an order that is not reported yet. */
export function orderOf(tx: Tx, taskId: TaskName): OrderedTask | Refusal {
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  const order = selectOrder(tx, taskId);
  if (!order?.isOpen) return refuse('not_running', `${taskId} is not being carried out`);
  return { kind: 'ordered', task, order };
}

/** The fact and its event, in the open transaction. */
export function writeFact(tx: Tx, { task, order }: Omit<OrderedTask, 'kind'>, fact: Fact): LedgerEvent {
  insertFact(tx, order, fact);
  const actor = fact.kind === 'stop-requested' ? fact.by : 'dispatcher';
  return insertEvent(tx, { type: EVENT_OF[fact.kind], actor, taskId: task.id, payload: payloadOf(fact) });
}

function noteProcess(tx: Tx, fact: Extract<Fact, { readonly kind: 'launched' }>): void {
  const run = selectRun(tx, fact.runId);
  if (!run || fact.pid === null) return;
  updateRunProcess(tx, { ...run, process: { pid: fact.pid, startTicks: fact.startTicks ?? 0 } });
}

const EVENT_OF: Readonly<Record<Fact['kind'], EventType>> = {
  admitted: 'order.admitted',
  snapshotted: 'order.snapshotted',
  unanswered: 'order.unanswered',
  leased: 'task.claimed',
  launched: 'run.launched',
  ended: 'run.exited',
  collected: 'run.collected',
  verified: 'run.verified',
  requeued: 'order.requeued',
  'stop-requested': 'order.stop_requested',
  'rolled-back': 'order.rolled_back',
  settled: 'order.settled',
  reported: 'order.reported',
};

/** What the log tells of a fact: short; the fact itself is kept whole. */
function payloadOf(fact: Fact): Readonly<Record<string, unknown>> {
  switch (fact.kind) {
    case 'admitted':
      return { agent: fact.agent, sandbox: fact.sandbox, warnings: fact.warnings, message: fact.message };
    case 'snapshotted':
      return { workplace: fact.workplace, commit: fact.commit, files: fact.files.length, checks: briefly(fact.checks) };
    case 'unanswered':
      return { alternative: fact.alternative, message: fact.message };
    case 'leased':
      return { run: fact.runId, agent: fact.agent, alternative: fact.alternative };
    case 'launched':
      return { run: fact.runId, pid: fact.pid };
    case 'ended':
      return { run: fact.runId, ...endOf(fact.end), spend: fact.spend, warnings: fact.warnings };
    case 'collected':
      return { run: fact.runId, commit: fact.commit, changed: fact.changed.length, violations: fact.violations };
    case 'verified':
      return { run: fact.runId, results: briefly(fact.results) };
    case 'requeued':
      return { alternative: fact.alternative, dueAt: new Date(fact.dueAt).toISOString(), reason: fact.reason };
    case 'stop-requested':
      return { by: fact.by };
    case 'rolled-back':
      return { trigger: fact.trigger, files: fact.files, message: fact.message };
    case 'settled':
      return { ...fact.outcome };
    case 'reported':
      return { receipt: fact.receipt ?? null };
    default:
      return assertNever(fact);
  }
}

function briefly(results: Extract<Fact, { readonly kind: 'verified' }>['results']): readonly object[] {
  return results.map(({ id, kind, result, message }) => ({ id, kind, result, message }));
}

function endOf(end: Extract<Fact, { readonly kind: 'ended' }>['end']): object {
  switch (end.kind) {
    case 'finished':
      return { end: end.kind, claim: end.claim?.signal ?? null };
    case 'failed':
      return { end: end.kind, code: end.code, message: end.message, claim: end.claim?.signal ?? null };
    case 'stopped':
      return { end: end.kind, by: end.by };
    case 'lost':
      return { end: end.kind };
    default:
      return assertNever(end);
  }
}
