import type { LedgerEvent } from '../domain/ledger-event.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { Task } from '../domain/task.ts';
import { canMove } from '../domain/task-lifecycle.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { liveRunOf, updateRunBeat } from '../ledger/statements/runs.ts';
import type { Tx } from '../ledger/tx.ts';
import { abortSession } from './abort-session.ts';
import { closeRun } from './end-run.ts';
import { type FactReport, type OrderedTask, orderOf, recordFact, writeFact } from './record-fact.ts';
import { causeOfOutcome, type FoundOutcome, reasonOfOutcome, resultOfOutcome } from './result-of-outcome.ts';
import { blockDependents, endRun, transition } from './transition.ts';

type Settlement = FoundOutcome;

/** Settles an order: its last fact, the run's result and the task's move in one commit. */
export const settleOrder: Command<Settlement, { readonly task: Task; readonly events: readonly LedgerEvent[] }> = (
  tx,
  settlement,
) => {
  const found = orderOf(tx, settlement.taskId);
  if (found.kind === 'refusal') return found;
  const { task } = found;
  const at = tx.moment.now.wallMs;
  const live = liveRunOf(tx, task);
  const run = settlement.isRunLost ? null : live;
  const cause = causeOfOutcome(settlement.outcome);
  const reason = reasonOfOutcome(settlement.outcome);
  const fact = writeFact(tx, found, { kind: 'settled', outcome: settlement.outcome, at, keepsFiles: false });
  if (run !== null) {
    const result = resultOfOutcome(settlement, run.agent, at);
    const reported = { ...run, result };
    updateRunBeat(tx, reported);
    const closed = closeRun(tx, { task, run: reported, cause }, 'session_end');
    const skipped = endDependents(tx, { ...found, task: closed.task }, settlement);
    return { task: closed.task, events: [fact, ...closed.events, ...skipped] };
  }
  const lost = live === null ? [] : [endRun(tx, live, { status: 'failed', endReason: reason, cause }).event];
  if (!canMove(task.status, 'blocked')) return { task, events: [fact, ...lost] };
  const moved = transition(tx, task, { to: 'blocked', actor: 'dispatcher', reason, cause, with: { runId: null } });
  const skipped = endDependents(tx, { ...found, task: moved.task }, settlement);
  return { task: moved.task, events: [fact, ...lost, ...moved.events, ...skipped] };
};

/** Blocks the tasks that depend on an order that failed or was aborted, and aborts its session if the order says so. */
function endDependents(tx: Tx, { task, order }: OrderedTask, settlement: Settlement): readonly LedgerEvent[] {
  const { signal, code } = settlement.outcome;
  if (signal !== 'FAILURE' && signal !== 'ABORTED') return [];
  const what = signal === 'FAILURE' ? 'failed' : 'was aborted';
  const skipped = blockDependents(tx, task, code === null ? what : `${what} with ${code}`);
  return settlement.isSessionEnding ? [...skipped, ...abortSession(tx, task, order)] : skipped;
}

interface LastFact {
  readonly report: FactReport;
  readonly settlement: Settlement;
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
