import type { AttemptEnd, Fact } from '../../domain/execution/fact.ts';
import { nextStep } from '../../domain/execution/next-step.ts';
import type { WorkFact } from '../../domain/execution/work-fact.ts';
import { refuse } from '../../domain/refusal.ts';
import type { SentFact } from '../../domain/remote/sent-fact.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { isUnchanged, type RecordedState } from '../../domain/work/point.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { untellRun } from '../../ledger/statements/federation/told-mail.ts';
import type { OrderRow } from '../../ledger/statements/orders.ts';
import { selectLastPoint } from '../../ledger/statements/points.ts';
import { deleteQuotaHold, upsertQuotaHold } from '../../ledger/statements/quota-holds.ts';
import { selectExecution, selectLastFact } from '../../ledger/statements/run-facts.ts';
import { updateRunProcess } from '../../ledger/statements/runs.ts';
import { addSessionCost } from '../../ledger/statements/sessions.ts';
import type { Tx } from '../../ledger/tx.ts';
import { addPoint } from '../run/record-point.ts';
import { closeRound, type OrderedTask, orderOf, writeFact } from './open-order.ts';
import { settle } from './settle-order.ts';

/** Facts that only add knowledge; each of the others has its own operation. */
export type PlainFact = Exclude<
  Fact,
  | WorkFact
  | SentFact
  | { readonly kind: 'ordered' | 'leased' | 'session-opened' | 'requeued' | 'settled' | 'cleaned' | 'rewound' }
>;

export interface FactReport {
  readonly taskId: TaskName;
  readonly fact: PlainFact;
}

/**
 * Records a fact about an order. A fact from a run that no longer holds its task is refused, except `collected`: Baton
 * itself inspects what the run left behind, also when nobody holds the task any more. If the order is to be settled after it,
 * the fact and the settlement are one commit.
 */
export const recordFact: Command<FactReport, { readonly events: readonly LedgerEvent[] }> = (tx, { taskId, fact }) => {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return found;
  const { task } = found;
  const isInspection = fact.kind === 'collected' && (task.runId === null || isSettled(tx, found.order));
  if ('runId' in fact && fact.runId !== task.runId && !isInspection) {
    return refuse('stale_run', `${fact.runId} does not hold ${taskId} any more`);
  }
  if (fact.kind === 'launched' && fact.pid !== null) {
    updateRunProcess(tx, fact.runId, { pid: fact.pid, startTicks: fact.startTicks ?? 0 });
  }
  if (fact.kind === 'reported') closeRound(tx, found, fact.report);
  if (fact.kind === 'ended') {
    holdAccount(tx, fact.end);
    addSessionCost(tx, found.order.sessionId, fact.spend.costUsd);
    if (!hasBegun(tx, found.order, fact)) untellRun(tx, fact.runId, 'prompt');
  }
  const event = writeFact(tx, found, fact);
  const headed = 'recorded' in fact && fact.recorded ? recordState(tx, found, { fact, seq: event.seq }) : task;
  const step = nextStep(selectExecution(tx, found.order));
  // The moves of the task name the files as they were recorded just now.
  const settled = step.kind === 'settle' ? settle(tx, { ...found, task: headed }, step.outcome).events : [];
  return { events: [event, ...settled] };
};

/** A run that was lost before its program is known to run, or whose program did not start, has read no prompt. */
function hasBegun(tx: Tx, order: OrderRow, { end, runId }: Extract<PlainFact, { readonly kind: 'ended' }>): boolean {
  if (end.kind === 'failed') return end.isNotStarted !== true;
  return end.kind !== 'lost' || selectLastFact(tx, order, 'launched')?.runId === runId;
}

interface StateFact {
  readonly fact: PlainFact & { readonly recorded?: RecordedState };
  readonly seq: number;
}

/** Adds the state that a fact recorded to the points of its task; returns the task, whose git state it now is. */
function recordState(tx: Tx, { task, order }: OrderedTask, { fact, seq }: StateFact): Task {
  const { recorded } = fact;
  if (!recorded) return task;
  const kind = fact.kind === 'snapshotted' ? 'start' : 'end';
  const last = selectLastPoint(tx, task.id);
  // Checks that change no file add nothing to what their run left.
  const isSame = last?.commit === recorded.commit || (fact.kind === 'verified' && isUnchanged(recorded.files));
  if (kind === 'end' && last !== null && isSame) return task;
  return addPoint(tx, task, { ...recorded, seq, kind, round: order.round }).task;
}

function isSettled(tx: Tx, order: OrderRow): boolean {
  return selectLastFact(tx, order, 'settled') !== null;
}

/** All tasks of the account wait together, also those that another agent of it is to do. */
function holdAccount(tx: Tx, end: AttemptEnd): void {
  if (end.kind !== 'out-of-quota' || end.account === null) return;
  const { account, until, message, scope } = end;
  upsertQuotaHold(tx, { account, until, message, scope });
}

/** The vendor serves an account again: its other tasks need not wait any more. */
export const liftQuota: Command<{ readonly account: string }, { readonly events: readonly [] }> = (tx, { account }) => {
  deleteQuotaHold(tx, account);
  return { events: [] };
};
