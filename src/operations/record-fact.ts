import type { AttemptEnd, Fact } from '../domain/execution/fact.ts';
import type { WorkFact } from '../domain/execution/work-fact.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import { isRefusal, refuse } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { upsertQuotaHold } from '../ledger/statements/quota-holds.ts';
import { updateRunProcess } from '../ledger/statements/runs.ts';
import type { Tx } from '../ledger/tx.ts';
import { closeRound, orderOf, writeFact } from './open-order.ts';
import type { FoundOutcome } from './result-of-outcome.ts';
import { settleOrder } from './settle-order.ts';

/** Facts that only add knowledge; each of the others has its own operation. */
export type PlainFact = Exclude<
  Fact,
  WorkFact | { readonly kind: 'ordered' | 'leased' | 'session-opened' | 'requeued' | 'settled' | 'cleaned' }
>;

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
  const { task } = found;
  const isInspection = fact.kind === 'collected' && task.runId === null;
  if ('runId' in fact && fact.runId !== task.runId && !isInspection) {
    return refuse('stale_run', `${fact.runId} does not hold ${taskId} any more`);
  }
  if (fact.kind === 'launched' && fact.pid !== null) {
    updateRunProcess(tx, fact.runId, { pid: fact.pid, startTicks: fact.startTicks ?? 0 });
  }
  if (fact.kind === 'reported') closeRound(tx, found);
  if (fact.kind === 'ended') holdAccount(tx, fact.end);
  return { events: [writeFact(tx, found, fact)] };
};

/** All tasks of the account wait together, also those that another agent of it is to do. */
function holdAccount(tx: Tx, end: AttemptEnd): void {
  if (end.kind !== 'out-of-quota' || end.account === null) return;
  const { account, until, message, scope } = end;
  upsertQuotaHold(tx, { account, until, message, scope });
}

interface LastFact {
  readonly report: FactReport;
  readonly settlement: FoundOutcome;
}

/** Records a fact and settles the order by it, in one commit. */
export const recordAndSettle: Command<LastFact, { readonly task: Task; readonly events: readonly LedgerEvent[] }> = (
  tx,
  { report, settlement },
) => {
  const recorded = recordFact(tx, report);
  if (isRefusal(recorded)) return recorded;
  const settled = settleOrder(tx, settlement);
  if (isRefusal(settled)) throw new Error(`${settlement.taskId}: a fact was recorded and its order does not exist`);
  return { task: settled.task, events: [...recorded.events, ...settled.events] };
};
