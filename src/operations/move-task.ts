import { refuse } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import { causedBy } from '../domain/task-reason.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { type HandMove, moveByHand, refuseMoveByHand } from './move-by-hand.ts';
import { refuseReason } from './refuse-task-text.ts';
import type { Moved } from './transition.ts';

interface MoveRequest extends HandMove {
  readonly taskId: TaskName;
}

/** Moves a task for an operator. Its run and order end; a move to in-progress starts a run of its agent. */
export const moveTask: Command<MoveRequest, Moved> = (tx, request) => {
  const task = selectTask(tx, request.taskId);
  if (!task) return refuse('task_not_found', `there is no task ${request.taskId}`);
  if (task.status === request.to) return { task, events: [] };
  const refusal = refuseReason(request.reason) ?? refuseMoveByHand(tx, task, request.to);
  if (refusal) return refusal;
  return moveByHand(tx, task, request);
};

/** Moves a blocked or deadletter task back to ready for a new round. */
export const retryTask: Command<{ readonly taskId: TaskName; readonly actor: string }, Moved> = (tx, facts) => {
  const task = selectTask(tx, facts.taskId);
  if (!task) return refuse('task_not_found', `there is no task ${facts.taskId}`);
  if (task.status !== 'blocked' && task.status !== 'deadletter') {
    return refuse(
      'invalid_transition',
      `${task.id} is ${task.status}; only a blocked or deadletter task can be retried`,
    );
  }
  return moveByHand(tx, task, { to: 'ready', actor: facts.actor, ...causedBy({ kind: 'retried' }) });
};
