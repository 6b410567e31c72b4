import { refuse } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import { encodeReason } from '../domain/task-reason.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { moveByHand } from './move-by-hand.ts';
import type { Moved } from './transition.ts';

/** Gives a task that was blocked or given up another round: back to ready, counted afresh. */
export const retryTask: Command<{ readonly taskId: TaskName; readonly actor: string }, Moved> = (tx, facts) => {
  const task = selectTask(tx, facts.taskId);
  if (!task) return refuse('task_not_found', `there is no task ${facts.taskId}`);
  if (task.status !== 'blocked' && task.status !== 'deadletter') {
    return refuse(
      'invalid_transition',
      `${task.id} is ${task.status}; only a blocked or deadletter task can be retried`,
    );
  }
  return moveByHand(tx, task, { to: 'ready', actor: facts.actor, reason: encodeReason({ kind: 'retried' }) });
};
