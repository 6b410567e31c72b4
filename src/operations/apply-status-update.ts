import type { Task } from '../domain/task.ts';
import { canMove } from '../domain/task-lifecycle.ts';
import { updateTaskBody } from '../ledger/statements/update-task-fields.ts';
import type { Tx } from '../ledger/tx.ts';
import type { StatusUpdate } from '../protocols/aof/schema/status-update.ts';
import { appendToWorkLog, transitionReason, workLogEntry } from '../protocols/aof/work-log.ts';
import { type Heard, logged, type MessageOutcome } from './message-outcome.ts';
import { startRun } from './start-run.ts';
import { transition } from './transition.ts';

/** AOF/1, Status Update Protocol: a legal new status moves the task; anything else goes into its work log. */
export function applyStatusUpdate(tx: Tx, message: StatusUpdate, { task, run }: Heard): MessageOutcome {
  const to = message.payload.status;
  if (to === undefined || to === task.status || !canMove(task.status, to)) return writeLog(tx, message, task);
  const reason = transitionReason(message);
  const actor = message.fromAgent;
  // In-progress is never without a run that holds it.
  const moved =
    to === 'in-progress' && run === null
      ? startRun(tx, task, { agent: actor, process: null, reason: reason ?? 'status.update' })
      : transition(tx, task, { to, actor, reason });
  return { verdict: 'accepted', code: null, events: moved.events, task: moved.task };
}

function writeLog(tx: Tx, message: StatusUpdate, task: Task): MessageOutcome {
  const entry = workLogEntry(message);
  if (entry === null) return { verdict: 'accepted', code: null, events: [], task };
  const body = appendToWorkLog(task.body, entry);
  const kept: Task = { ...task, body, revision: task.revision + 1, updatedAt: tx.moment.now.wallMs };
  updateTaskBody(tx, kept);
  const event = logged(tx, message, { type: 'task.logged', payload: { entry } });
  return { verdict: 'accepted', code: null, events: [event], task: kept };
}
