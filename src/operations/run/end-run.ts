import type { AgentRole } from '../../domain/agent/agent.ts';
import { assertNever } from '../../domain/assert-never.ts';
import { DISPATCHER } from '../../domain/task/decide-sender.ts';
import { recoverRun } from '../../domain/task/recover-run.ts';
import type { Run } from '../../domain/task/run.ts';
import { isReviewRequired, type Task } from '../../domain/task/task.ts';
import type { RunEnd, TaskCause } from '../../domain/task/task-reason.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertEvent, isReportBeforeLastMove } from '../../ledger/statements/events.ts';
import { wasEnrolled } from '../../ledger/statements/external/enrolments.ts';
import { hasOpenOrder } from '../../ledger/statements/orders.ts';
import { updateRunEnd } from '../../ledger/statements/runs.ts';
import { selectTask, updateTaskStatus } from '../../ledger/statements/tasks.ts';
import { type MarkedRun, selectOpenMarks, subjectOf } from '../../ledger/statements/trace-marks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { closeQuestions } from '../task/ask-question.ts';
import { transition, transitions } from '../task/transition.ts';
import { beatHolder, liveRun, type RunReference } from './beat-run.ts';
import { writeMade } from './write-trace.ts';

export interface ClosedRun {
  readonly task: Task;
  readonly run: Run;
  readonly events: readonly LedgerEvent[];
}

interface EndingRun {
  readonly task: Task;
  readonly run: Run;
}

/** Ends a run and moves its task by its outcome: the same after a session_end, a lost heartbeat and a reboot. */
export function closeRun(tx: Tx, live: EndingRun, end: RunEnd): ClosedRun {
  const { task } = live;
  const isReported = live.run.result !== null;
  const report = live.run.result && {
    result: live.run.result,
    isBeforeLastMove: task.status === 'blocked' && isReportBeforeLastMove(tx, task.id),
    isExternal: !isReviewRequired(task) && wasEnrolled(tx, live.run.agent),
  };
  const recovery = recoverRun(task, report, end);
  const status = isReported ? 'completed' : 'failed';
  const { run, event: ended } = endRun(
    tx,
    live.run,
    isReported
      ? { status, endReason: null }
      : { status, endReason: end, cause: { kind: 'run-ended', end, outcome: null } },
  );
  const actor = end === 'session_end' ? run.agent : 'dispatcher';
  const free = { runId: null } as const;
  switch (recovery.kind) {
    case 'apply': {
      const moved = transitions(tx, task, {
        through: recovery.moves,
        actor,
        reason: recovery.reason,
        cause: recovery.cause,
        with: { ...free, reclaims: 0 },
      });
      return { task: moved.task, run, events: [ended, ...moved.events] };
    }
    case 'reclaim':
    case 'give-up': {
      const to = recovery.kind === 'reclaim' ? 'ready' : 'blocked';
      const reclaims = recovery.kind === 'reclaim' ? task.reclaims + 1 : 0;
      const moved = transition(tx, task, { ...recovery, to, actor, with: { ...free, reclaims } });
      return { task: moved.task, run, events: [ended, ...moved.events] };
    }
    case 'nothing': {
      const released: Task = { ...task, ...free, revision: task.revision + 1, updatedAt: tx.moment.now.wallMs };
      updateTaskStatus(tx, released);
      return { task: released, run, events: [ended] };
    }
    default:
      return assertNever(recovery);
  }
}

interface EndedRun extends Pick<Run, 'status' | 'endReason'> {
  readonly cause?: TaskCause | null;
  /** By default the agent of the run. */
  readonly actor?: string;
}

/** Ends a run, which then holds no task; its open questions and what its trace has open are closed first. */
export function endRun(
  tx: Tx,
  run: Run,
  { status, endReason, cause = null, actor = run.agent }: EndedRun,
): { readonly run: Run; readonly event: LedgerEvent } {
  const ended = { ...run, status, endReason, endedAt: tx.moment.now.wallMs };
  closeQuestions(tx, run);
  closeTrace(tx, { taskId: run.taskId, runId: run.id });
  updateRunEnd(tx, ended);
  const payload = { run: run.id, fence: run.fence, status, reason: endReason, cause };
  const about = { actor, taskId: run.taskId, runId: run.id };
  return { run: ended, event: insertEvent(tx, { type: 'run.ended', ...about, payload }) };
}

/** Ends what a run began and did not end: a tool that never returned is a timeout, a thought gets its last chunk. */
function closeTrace(tx: Tx, run: MarkedRun): readonly LedgerEvent[] {
  const open = selectOpenMarks(tx, run);
  const task = open.length === 0 ? null : selectTask(tx, run.taskId);
  if (task === null) return [];
  return open.map(({ subject, detail, at }) => {
    const { role, tool } = JSON.parse(detail) as { readonly role: AgentRole; readonly tool: string };
    const { turnIndex, callId } = subjectOf(subject);
    const durationMs = Math.max(0, tx.moment.now.wallMs - at);
    const made =
      turnIndex === null
        ? ({ kind: 'timeout', callId, tool, durationMs } as const)
        : ({ kind: 'thought', turnIndex, role, chunk: '', isFinal: true } as const);
    return writeMade(tx, task, { ...run, actor: DISPATCHER, made });
  });
}

/** session_end: ends the run of an agent, and no other one (aof:session-end). */
export const endSession: Command<RunReference, ClosedRun> = (tx, reference) => {
  const live = liveRun(tx, reference);
  if (live.kind === 'refusal') return live;
  // The run of an order ends with its process, and by Baton's findings. The message counts as a heartbeat only.
  if (hasOpenOrder(tx, live.task.id)) {
    beatHolder(tx, live.task, live.run);
    return { task: live.task, events: [], run: live.run };
  }
  return closeRun(tx, live, 'session_end');
};
