import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task.ts';
import { wayTo } from '../domain/task-lifecycle.ts';
import { causedBy } from '../domain/task-reason.ts';
import { isTakenBack } from '../domain/work-state.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { type HandMove, moveByHand, refuseMoveByHand } from './move-by-hand.ts';
import { refuseReason } from './refuse-task-text.ts';
import { type TaskChange, transitions } from './transition.ts';

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

/** Moves a blocked or deadletter task, or one whose work was taken back, to ready for a new round. */
export const retryTask: Command<{ readonly taskId: TaskName; readonly actor: string }, TaskChange> = (tx, facts) => {
  const task = selectTask(tx, facts.taskId);
  if (!task) return refuse('task_not_found', `there is no task ${facts.taskId}`);
  const move = { actor: facts.actor, ...causedBy({ kind: 'retried' }) };
  if (task.status === 'blocked' || task.status === 'deadletter') return moveByHand(tx, task, { to: 'ready', ...move });
  if (task.status === 'review' && isTakenBack(task.work)) {
    const through = wayTo(task.status, 'ready') ?? [];
    return transitions(tx, task, { through, ...move, with: { runId: null, reclaims: 0 } });
  }
  return refuseRetry(task);
};

function refuseRetry({ id, status }: Task): Refusal {
  const message = `${id} is ${status}; only a blocked or deadletter task, or one whose work was undone, can be retried`;
  const refusal = refuse('invalid_transition', message);
  if (status !== 'review' && status !== 'done') return refusal;
  const hint = `take its work back first: baton undo ${id}; or go on from it: baton continue ${id} "what to do"`;
  return { ...refusal, hint };
}
