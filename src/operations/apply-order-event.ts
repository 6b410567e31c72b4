import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { Run } from '../domain/run.ts';
import type { Priority, Task } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectOrderedTask } from '../ledger/statements/orders.ts';
import { liveRunOf } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { beatRun } from './beat-run.ts';
import { editTask } from './edit-task.ts';
import type { Moved } from './transition.ts';

/** An AOP message's names for its task. */
interface SenderName {
  readonly sessionId: string;
  /** The sender's own name for the task, or Baton's name TASK-…. */
  readonly senderTaskId: string;
}

/** common:task-names: finds a task by session and the sender's task id, else by its own name. */
function findOrderedTask(tx: Reader, { sessionId, senderTaskId }: SenderName): Task | Refusal {
  const task = selectTask(tx, selectOrderedTask(tx, sessionId, senderTaskId) ?? senderTaskId);
  return task ?? refuse('task_not_found', `there is no task ${senderTaskId} of ${sessionId}`, '/task_id');
}

interface BeatMessage extends SenderName {
  /** The run the channel carries; null where it carries none. */
  readonly runId: string | null;
  /** The only task that a run may report on; null for an operator. */
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

interface Escalation extends SenderName {
  readonly priority: Priority;
  readonly reason: string | null;
  /** The authenticated sender, whatever name the message has. */
  readonly actor: string;
}

/** AOP §8: changes the priority of a task, and with it its position in the queue. */
export const escalatePriority: Command<Escalation, Moved> = (tx, { priority, reason, actor, ...name }) => {
  const task = findOrderedTask(tx, name);
  if (isRefusal(task)) return task;
  return editTask(tx, { taskId: task.id, actor, reason, change: { priority } });
};
