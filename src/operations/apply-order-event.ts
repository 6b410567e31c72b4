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

/** What an AOP message calls the task that it is about. */
interface SenderName {
  readonly sessionId: string;
  /** The sender's own name for it, or TASK-… as Baton told it. */
  readonly senderTaskId: string;
}

/** common:task-names: a task is found by session and task id; one that nobody ordered has no other name than its own. */
function findOrderedTask(tx: Reader, { sessionId, senderTaskId }: SenderName): Task | Refusal {
  const task = selectTask(tx, selectOrderedTask(tx, sessionId, senderTaskId) ?? senderTaskId);
  return task ?? refuse('task_not_found', `there is no task ${senderTaskId} of ${sessionId}`, '/task_id');
}

interface BeatMessage extends SenderName {
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

interface Escalation extends SenderName {
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
