import { assertNever } from '../domain/assert-never.ts';
import type { FinalSignal, Outcome } from '../domain/execution/fact.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { CompletionOutcome } from '../domain/resolve-completion.ts';
import type { RunResult } from '../domain/run.ts';
import type { Task, TaskName } from '../domain/task.ts';
import { canMove } from '../domain/task-lifecycle.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { liveRunOf } from '../ledger/statements/select-run.ts';
import { updateRunBeat } from '../ledger/statements/update-run.ts';
import { closeRun } from './end-run.ts';
import { orderOf, writeFact } from './record-fact.ts';
import { transition } from './transition.ts';

export interface Settlement {
  readonly taskId: TaskName;
  readonly outcome: Outcome;
  /** What Baton itself counted. */
  readonly tests: RunResult['tests'];
  readonly deliverables: readonly string[];
}

/** The last word on an order: the fact, the run's result and the task's move in one commit. */
export const settleOrder: Command<Settlement, { readonly task: Task; readonly events: readonly LedgerEvent[] }> = (
  tx,
  settlement,
) => {
  const found = orderOf(tx, settlement.taskId);
  if (found.kind === 'refusal') return found;
  const { task } = found;
  const at = tx.moment.now.wallMs;
  const run = liveRunOf(tx, task);
  const fact = writeFact(tx, found, { kind: 'settled', outcome: settlement.outcome, at });
  if (run !== null) {
    const result = resultOf(settlement, run.agent, at);
    const reported = { ...run, result };
    updateRunBeat(tx, reported);
    const closed = closeRun(tx, { task, run: reported }, 'session_end');
    return { task: closed.task, events: [fact, ...closed.events] };
  }
  if (!canMove(task.status, 'blocked')) return { task, events: [fact] };
  const reason = reasonOf(settlement.outcome);
  const moved = transition(tx, task, { to: 'blocked', actor: 'dispatcher', reason, with: { runId: null } });
  return { task: moved.task, events: [fact, ...moved.events] };
};

function resultOf({ outcome, tests, deliverables }: Settlement, agent: string, completedAt: number): RunResult {
  const said = reasonOf(outcome);
  return {
    outcome: outcomeOf(outcome.signal),
    summaryRef: '',
    deliverables,
    tests,
    blockers: outcome.signal === 'SUCCESS' || outcome.signal === 'PARTIAL_SUCCESS' ? [] : [said],
    notes: said,
    completedAt,
    agent,
  };
}

function outcomeOf(signal: FinalSignal): CompletionOutcome {
  switch (signal) {
    case 'SUCCESS':
      return 'done';
    case 'PARTIAL_SUCCESS':
      return 'partial';
    case 'FAILURE':
    case 'ABORTED':
      return 'blocked';
    default:
      return assertNever(signal);
  }
}

function reasonOf({ code, message }: Outcome): string {
  return code === null ? message : `${code}: ${message}`;
}
