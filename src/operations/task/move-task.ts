import { isRefusal, refuse, refuseTask } from '../../domain/refusal.ts';
import { decideRetry, decideRun } from '../../domain/task/decide-run.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import { wayTo } from '../../domain/task/task-lifecycle.ts';
import { causedBy } from '../../domain/task/task-reason.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { editTask } from './edit-task.ts';
import { type HandMove, moveByHand, refuseMoveByHand } from './move-by-hand.ts';
import { refuseReason } from './refuse-task-text.ts';
import type { TaskChange } from './transition.ts';

interface MoveRequest extends HandMove {
  readonly taskId: TaskName;
}

/** Moves a task for an operator. Its run and order end; a move to in-progress starts a run of its agent. */
export const moveTask: Command<MoveRequest, TaskChange> = (tx, request) => {
  const task = selectTask(tx, request.taskId);
  if (!task) return refuse('task_not_found', `there is no task ${request.taskId}`);
  if (task.status === request.to) return { task, events: [] };
  const refusal = refuseReason(request.reason) ?? refuseMoveByHand(tx, task, request.to);
  if (refusal) return refusal;
  return moveByHand(tx, task, request);
};

interface ByHand {
  readonly taskId: TaskName;
  readonly actor: string;
}

/** Moves a task that can be tried again to ready, for a new round. One that is done is left to a new task. */
export const retryTask: Command<ByHand, TaskChange> = (tx, { taskId, actor }) => {
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  const retry = decideRetry(task);
  if (isRefusal(retry)) return retry;
  if (retry.kind === 'follow-up')
    return refuseTask('invalid_transition', `${taskId} is done: a new task continues it`, taskId);
  return makeReady(tx, task, { actor, ...causedBy({ kind: 'retried' }) });
};

interface FirstRound extends ByHand {
  readonly agent: string | null;
  /** Absent leaves those of the task. */
  readonly checks?: readonly string[];
}

/** Makes a task ready that no agent had yet, with the agent and the checks that its operator agreed to. */
export const beginByHand: Command<FirstRound, TaskChange> = (tx, { taskId, actor, agent, checks }) => {
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  const decision = decideRun({ ...task, isOrdered: selectOrder(tx, taskId) !== null, isInterrupted: false });
  if (isRefusal(decision)) return decision;
  if (decision.kind !== 'first') return refuse('already_claimed', `${taskId} was begun a moment ago`);
  const edited = editTask(tx, { taskId, actor, reason: null, change: { agent, ...(checks && { checks }) } });
  if (isRefusal(edited)) return edited;
  const ready = makeReady(tx, edited.task, { actor, reason: null });
  return { task: ready.task, events: [...edited.events, ...ready.events] };
};

function makeReady(tx: Tx, task: Task, move: Omit<HandMove, 'to'>): TaskChange {
  const way = wayTo(task.status, 'ready') ?? [];
  return way.reduce<TaskChange>(
    (before, to) => {
      const moved = moveByHand(tx, before.task, { ...move, to });
      return { task: moved.task, events: [...before.events, ...moved.events] };
    },
    { task, events: [] },
  );
}
