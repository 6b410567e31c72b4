import type { OrderQuestion } from '../../domain/execution/choose-fallback.ts';
import { isRefusal, refuseTask } from '../../domain/refusal.ts';
import { NO, YES } from '../../domain/task/question.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { TaskCause } from '../../domain/task/task-reason.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { liveRunOf } from '../../ledger/statements/runs.ts';
import { updateTaskDue } from '../../ledger/statements/tasks.ts';
import { endRun } from '../run/end-run.ts';
import { askQuestion } from '../task/ask-question.ts';
import { transition } from '../task/transition.ts';
import { orderOf, writeFact } from './open-order.ts';

export interface RequeueRequest {
  readonly taskId: TaskName;
  /** The agent of the next attempt; null where none is available, which the next step records. */
  readonly agent: string | null;
  readonly alternative: number | null;
  readonly afterMs: number;
  /** A person decides whether it continues: the task waits in blocked for the answer. */
  readonly asks?: OrderQuestion;
  /** The account whose quota it waits for, and the instant of the next attempt. */
  readonly quota?: { readonly account: string | null; readonly until: number };
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
  if (task.status !== 'blocked')
    return refuseTask('invalid_transition', `${task.id} is ${task.status} by now`, task.id);
  return transition(tx, task, { to: 'ready', actor: 'dispatcher', reason: 'its dispatch is tried again' });
};

/** Queues another attempt: ends the run, and makes the task ready again at its due time. */
export const requeueOrder: Command<RequeueRequest, { readonly task: Task; readonly events: readonly LedgerEvent[] }> = (
  tx,
  request,
) => {
  const found = orderOf(tx, request.taskId);
  if (found.kind === 'refusal') return found;
  const { alternative, reason, cause, quota, asks } = request;
  const { task } = found;
  if (task.status !== 'in-progress' && task.status !== 'ready') {
    return refuseTask('invalid_transition', `${task.id} is ${task.status} by now`, task.id);
  }
  const dueAt = asks ? FAR_FUTURE_MS : (quota?.until ?? tx.moment.now.wallMs + request.afterMs);
  const run = liveRunOf(tx, task);
  const ended = run === null ? [] : [endRun(tx, run, { status: 'failed', endReason: reason, cause }).event];
  const asked = asks ? ask(tx, task.id, asks) : null;
  const waits = quota && { quota: quota.account ?? task.routing.agent ?? '' };
  const other = alternative !== null && request.agent !== null && { agent: request.agent };
  const about = { dueAt, reason, ...other, ...waits, ...asked?.about };
  const fact = writeFact(tx, found, { kind: 'requeued', alternative, ...about });
  const to = request.isBlocked ? 'blocked' : 'ready';
  const moved =
    task.status === to
      ? { task, events: [] }
      : transition(tx, task, { to, actor: 'dispatcher', reason, cause, with: { runId: null } });
  const routed = { ...moved.task, routing: { ...task.routing, agent: request.agent ?? task.routing.agent } };
  updateTaskDue(tx, routed, dueAt);
  return { task: routed, events: [...ended, ...(asked?.events ?? []), fact, ...moved.events] };
};

/** No answer means no start: the last instant that a Date can show. */
const FAR_FUTURE_MS = 8_640_000_000_000_000;

function ask(tx: Parameters<typeof askQuestion>[0], taskId: TaskName, asks: OrderQuestion) {
  const question = { ...asks, taskId, runId: null, where: null, options: [YES, NO], defaultOption: NO };
  const asked = askQuestion(tx, { ...question, timeoutMs: null });
  if (isRefusal(asked)) throw new Error(`${taskId}: ${asked.message}`);
  return { about: { question: asked.question.id }, events: asked.events };
}
