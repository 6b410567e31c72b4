import { isRefusal } from '../../domain/refusal.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import type { Run } from '../../domain/task/run.ts';
import type { Priority, Task } from '../../domain/task/task.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { liveRunOf } from '../../ledger/statements/runs.ts';
import { beatRun, notClaimed } from '../run/beat-run.ts';
import { editTask } from '../task/edit-task.ts';
import { findOrderedTask, type SenderName } from '../task/find-task.ts';
import type { TaskChange } from '../task/transition.ts';
import { refuseOtherRun } from './read-reach.ts';

interface BeatMessage extends SenderName {
  /** The run the channel carries; null where it carries none. */
  readonly runId: string | null;
  /** The run that sends it; null for an operator. */
  readonly holder: RunHolder | null;
  /** The agent that the message names; null where it names none. */
  readonly agent: string | null;
}

/** AOP §6: a HEARTBEAT or PROGRESS_UPDATE is a beat of the run that holds the task. */
export const beatByMessage: Command<BeatMessage, { readonly task: Task; readonly run: Run }> = (tx, message) => {
  const task = findOrderedTask(tx, message);
  if (isRefusal(task)) return task;
  const { holder, agent } = message;
  const refusal = holder && refuseOtherRun(tx, holder, { task: task.id, agent });
  if (refusal) return refusal;
  const run = liveRunOf(tx, task);
  if (run === null) return notClaimed(task.id);
  return beatRun(tx, { taskId: task.id, agent: run.agent, runId: message.runId });
};

interface Escalation extends SenderName {
  readonly priority: Priority;
  readonly reason: string | null;
  /** The authenticated sender, whatever name the message has. */
  readonly actor: string;
}

/** AOP §8: changes the priority of a task, and with it its position in the queue. */
export const escalatePriority: Command<Escalation, TaskChange> = (tx, { priority, reason, actor, ...name }) => {
  const task = findOrderedTask(tx, name);
  if (isRefusal(task)) return task;
  return editTask(tx, { taskId: task.id, actor, reason, change: { priority } });
};
