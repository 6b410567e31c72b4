import type { LedgerEvent } from '../domain/ledger-event.ts';
import { refuse } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task.ts';
import type { TaskCause } from '../domain/task-reason.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { liveRunOf } from '../ledger/statements/runs.ts';
import { updateTaskDue } from '../ledger/statements/tasks.ts';
import { orderOf, writeFact } from './open-order.ts';
import { endRun, transition } from './transition.ts';

export interface RequeueRequest {
  readonly taskId: TaskName;
  /** The agent of the next attempt; null where none is available, which the next step records. */
  readonly agent: string | null;
  readonly alternative: number | null;
  readonly afterMs: number;
  /** The task waits in blocked instead of ready: its agent could not be started (aof:dispatch). */
  readonly isBlocked?: boolean;
  readonly reason: string;
  readonly cause: TaskCause | null;
}

/** Makes a task ready again that waited in blocked after a failed dispatch, and is due. */
export const unblockOrder: Command<{ readonly taskId: TaskName }, { readonly events: readonly LedgerEvent[] }> = (
  tx,
  { taskId },
) => {
  const found = orderOf(tx, taskId);
  if (found.kind === 'refusal') return found;
  const { task } = found;
  if (task.status !== 'blocked') return refuse('invalid_transition', `${task.id} is ${task.status} by now`);
  return transition(tx, task, { to: 'ready', actor: 'dispatcher', reason: 'its dispatch is tried again' });
};

/** Queues another attempt: ends the run, and makes the task ready again at its due time. */
export const requeueOrder: Command<RequeueRequest, { readonly task: Task; readonly events: readonly LedgerEvent[] }> = (
  tx,
  request,
) => {
  const found = orderOf(tx, request.taskId);
  if (found.kind === 'refusal') return found;
  const { alternative, reason, cause } = request;
  const { task } = found;
  if (task.status !== 'in-progress' && task.status !== 'ready') {
    return refuse('invalid_transition', `${task.id} is ${task.status} by now`);
  }
  const dueAt = tx.moment.now.wallMs + request.afterMs;
  const run = liveRunOf(tx, task);
  const ended = run === null ? [] : [endRun(tx, run, { status: 'failed', endReason: reason, cause }).event];
  const fact = writeFact(tx, found, { kind: 'requeued', alternative, dueAt, reason });
  const to = request.isBlocked ? 'blocked' : 'ready';
  const moved =
    task.status === to
      ? { task, events: [] }
      : transition(tx, task, { to, actor: 'dispatcher', reason, cause, with: { runId: null } });
  const routed = { ...moved.task, routing: { ...task.routing, agent: request.agent ?? task.routing.agent } };
  updateTaskDue(tx, routed, dueAt);
  return { task: routed, events: [...ended, fact, ...moved.events] };
};
