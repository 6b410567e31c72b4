import type { Outcome } from '../../domain/execution/fact.ts';
import { recordCode } from '../../domain/failure-code.ts';
import { isAccepted } from '../../domain/order/work-verdict.ts';
import { DISPATCHER } from '../../domain/task/decide-sender.ts';
import type { Run } from '../../domain/task/run.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import { isLive } from '../../domain/task/task-lifecycle.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { type OrderRow, selectSessionOrders } from '../../ledger/statements/orders.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import { liveRunOf, updateRunBeat } from '../../ledger/statements/runs.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { endRun } from '../run/end-run.ts';
import { moveByHand } from '../task/move-by-hand.ts';
import { blockDependents, transitions } from '../task/transition.ts';
import { type OrderedTask, orderOf, writeFact } from './open-order.ts';
import {
  causeOfOutcome,
  type FoundOutcome,
  foundOutcome,
  movesOfOutcome,
  reasonOfOutcome,
  resultOfOutcome,
} from './result-of-outcome.ts';

/** Settles an order by an outcome: its last fact, the run's result and the task's move in one commit. */
export const settleOrder: Command<Settlement, SettledTask> = (tx, { taskId, outcome, keepsFiles = false }) => {
  const found = orderOf(tx, taskId);
  return found.kind === 'refusal' ? found : settle(tx, { ...found, keepsFiles }, outcome);
};

interface Settlement {
  readonly taskId: TaskName;
  readonly outcome: Outcome;
  /** Nothing is rolled back. */
  readonly keepsFiles?: boolean;
}

interface SettledTask {
  readonly task: Task;
  readonly events: readonly LedgerEvent[];
}

/** The same in the open transaction, after the facts that it follows from. */
export function settle(tx: Tx, found: OrderedTask & Pick<Settlement, 'keepsFiles'>, outcome: Outcome): SettledTask {
  const { task, keepsFiles = false } = found;
  const settlement = foundOutcome(task.id, selectExecution(tx, found.order), outcome);
  const run = liveRunOf(tx, task);
  const at = tx.moment.now.wallMs;
  const fact = writeFact(tx, found, { kind: 'settled', outcome, at, keepsFiles });
  const ended = run === null ? [] : [endSettledRun(tx, run, settlement)];
  // Work that never began proves nothing.
  const through = movesOfOutcome(task, run === null ? { ...outcome, verdict: 'failed' } : outcome);
  if (through.length === 0 && run === null) return { task, events: [fact] };
  const [reason, cause] = [reasonOfOutcome(outcome), causeOfOutcome(outcome)];
  const moved = transitions(tx, task, {
    through,
    actor: DISPATCHER,
    reason,
    cause,
    with: { runId: null, reclaims: 0 },
  });
  const skipped = endDependents(tx, { ...found, task: moved.task }, settlement);
  return { task: moved.task, events: [fact, ...ended, ...moved.events, ...skipped] };
}

/** Ends the run by Baton's verdict. The report that its agent sent stays; without one the findings are Baton's own. */
function endSettledRun(tx: Tx, run: Run, settlement: FoundOutcome): LedgerEvent {
  const { outcome } = settlement;
  // Nothing was found of a run that was lost.
  const isFound = run.result === null && !settlement.isRunLost;
  const settled = isFound ? { ...run, result: resultOfOutcome(settlement, DISPATCHER, tx.moment.now.wallMs) } : run;
  if (isFound) updateRunBeat(tx, settled);
  const isWell = isAccepted(outcome.verdict) || run.result?.outcome === 'blocked';
  if (isWell) return endRun(tx, settled, { status: 'completed', endReason: null, actor: DISPATCHER }).event;
  const why = { endReason: reasonOfOutcome(outcome), cause: causeOfOutcome(outcome) };
  return endRun(tx, settled, { status: 'failed', ...why, actor: DISPATCHER }).event;
}

/** Blocks the tasks that depend on an order that failed or was aborted, and aborts its session if the order says so. */
function endDependents(tx: Tx, { task, order }: OrderedTask, settlement: FoundOutcome): readonly LedgerEvent[] {
  const { verdict, code } = settlement.outcome;
  if (isAccepted(verdict)) return [];
  const what = verdict === 'failed' ? 'failed' : 'was aborted';
  const skipped = blockDependents(tx, task, code === null ? what : `${what} with ${recordCode(code)}`);
  return settlement.isSessionEnding ? [...skipped, ...abortSession(tx, task, order)] : skipped;
}

/** aop:retries: abort-session cancels the rest, what waits and what runs. */
function abortSession(tx: Tx, failed: Task, { sessionId }: OrderRow): readonly LedgerEvent[] {
  const reason = `${failed.id} failed, and with it its session`;
  return selectSessionOrders(tx, sessionId).flatMap((id) => {
    const task = selectTask(tx, id);
    if (!task || id === failed.id || !isLive(task.status)) return [];
    return moveByHand(tx, task, { to: 'cancelled', actor: 'dispatcher', reason }).events;
  });
}
