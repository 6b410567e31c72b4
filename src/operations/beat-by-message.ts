import { isRefusal, refuse } from '../domain/refusal.ts';
import type { Run } from '../domain/run.ts';
import type { Task } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { liveRunOf } from '../ledger/statements/runs.ts';
import { beatRun } from './beat-run.ts';
import { findOrderedTask, type SenderName } from './find-ordered-task.ts';

export interface BeatMessage extends SenderName {
  /** The run the channel carries; null where it carries none. */
  readonly runId: string | null;
  /** Where the sender is known by its run: the one task that it may speak of. */
  readonly ownTaskId: string | null;
}

/** AOP §6: a HEARTBEAT or PROGRESS_UPDATE is a beat of the run that holds the task. */
export const beatByMessage: Command<BeatMessage, { readonly task: Task; readonly run: Run }> = (tx, message) => {
  const task = findOrderedTask(tx, message);
  if (isRefusal(task)) return task;
  if (message.ownTaskId !== null && message.ownTaskId !== task.id) {
    return refuse('unauthorized_agent', `${message.senderTaskId} is not the task of this run`, '/task_id');
  }
  const run = liveRunOf(tx, task);
  if (run === null) return refuse('not_running', `no run of ${task.id} is live`);
  return beatRun(tx, { taskId: task.id, agent: run.agent, runId: message.runId });
};
