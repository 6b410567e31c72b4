import { isRefusal } from '../domain/refusal.ts';
import type { Priority } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { editTask } from './edit-task.ts';
import { findOrderedTask, type SenderName } from './find-ordered-task.ts';
import type { Moved } from './transition.ts';

export interface Escalation extends SenderName {
  readonly priority: Priority;
  readonly reason: string | null;
  /** Who was authenticated, whoever the message says it was. */
  readonly actor: string;
}

/** AOP §8: the task's place in the queue follows its new priority. */
export const escalatePriority: Command<Escalation, Moved> = (tx, { priority, reason, actor, ...name }) => {
  const task = findOrderedTask(tx, name);
  if (isRefusal(task)) return task;
  return editTask(tx, { taskId: task.id, actor, reason, change: { priority } });
};
