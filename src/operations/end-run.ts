import { assertNever } from '../domain/assert-never.ts';
import { type RunEnd, recoverRun } from '../domain/decisions/recover-run.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { Run } from '../domain/run.ts';
import type { Task } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { isReportBeforeLastMove } from '../ledger/statements/is-report-before-last-move.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectRun } from '../ledger/statements/select-run.ts';
import { updateTaskStatus } from '../ledger/statements/update-task-status.ts';
import type { Tx } from '../ledger/tx.ts';
import { beatHolder, liveRun, type RunReference } from './beat-run.ts';
import { endRun, transition, transitions } from './transition.ts';

export interface Ended {
  readonly task: Task;
  readonly events: readonly LedgerEvent[];
}

/** session_end: the agent's run is over, by its own word or because its process ended. Only this run is touched (D-A3). */
export const endSession: Command<RunReference, Ended & { readonly run: Run }> = (tx, reference) => {
  const live = liveRun(tx, reference);
  if (live.kind === 'refusal') return live;
  // The run of an order ends with its program, and by what Baton finds out then: its word alone is a sign of life.
  if (selectOrder(tx, live.task.id)?.isOpen) {
    beatHolder(tx, live.task, live.run);
    return { task: live.task, events: [], run: live.run };
  }
  const ended = closeRun(tx, live, 'session_end');
  return { ...ended, run: selectRun(tx, live.run.id) ?? live.run };
};

/** Ends a run and moves its task as the outcome says: the same for a good end, a silent death and a restart. */
export function closeRun(tx: Tx, live: { readonly task: Task; readonly run: Run }, end: RunEnd): Ended {
  const { task, run } = live;
  const isReported = run.result !== null;
  const report = run.result && {
    result: run.result,
    isBeforeLastMove: task.status === 'blocked' && isReportBeforeLastMove(tx, task.id),
  };
  const recovery = recoverRun(task, report, end);
  const status = isReported ? 'completed' : 'failed';
  const ended = endRun(tx, run, { status, endReason: isReported ? null : end });
  const actor = end === 'session_end' ? run.agent : 'dispatcher';
  const free = { runId: null } as const;
  switch (recovery.kind) {
    case 'apply': {
      const moved = transitions(tx, task, {
        through: recovery.moves,
        actor,
        reason: recovery.reason,
        with: { ...free, reclaims: 0 },
      });
      return { task: moved.task, events: [ended, ...moved.events] };
    }
    case 'reclaim':
    case 'give-up': {
      const to = recovery.kind === 'reclaim' ? 'ready' : 'blocked';
      const reclaims = recovery.kind === 'reclaim' ? task.reclaims + 1 : 0;
      const moved = transition(tx, task, { to, actor, reason: recovery.reason, with: { ...free, reclaims } });
      return { task: moved.task, events: [ended, ...moved.events] };
    }
    case 'nothing': {
      const released: Task = { ...task, ...free, revision: task.revision + 1, updatedAt: tx.moment.now.wallMs };
      updateTaskStatus(tx, released);
      return { task: released, events: [ended] };
    }
    default:
      return assertNever(recovery);
  }
}
