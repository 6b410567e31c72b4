import type { StatusMessage } from '../domain/agent-message.ts';
import { refuseBusyResource, refuseOpenDependencies } from '../domain/decisions/decide-claim.ts';
import { TASK_BODY_CHARACTERS_MAX } from '../domain/limits.ts';
import type { Run } from '../domain/run.ts';
import type { Task } from '../domain/task.ts';
import { canMove } from '../domain/task-lifecycle.ts';
import { appendToWorkLog } from '../domain/work-log.ts';
import { updateTaskBody } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import { logged, type MessageOutcome, type MessageSubject } from './message-outcome.ts';
import { readWaits, startRun } from './start-run.ts';
import { endRun, transition } from './transition.ts';

/** AOF/1, Status Update Protocol: a legal new status moves the task; anything else goes into its work log. */
export function applyStatusUpdate(tx: Tx, message: StatusMessage, { task, run }: MessageSubject): MessageOutcome {
  const { to, reason } = message;
  if (to === null || to === task.status || !canMove(task.status, to)) return writeLog(tx, message, task);
  const actor = message.fromAgent;
  // In-progress is never without a run that holds it, and such a run is a claim.
  if (to === 'in-progress' && run === null) {
    const waits = readWaits(tx, task);
    if (refuseOpenDependencies(task, waits) ?? refuseBusyResource(task, waits)) return writeLog(tx, message, task);
    const started = startRun(tx, task, { agent: actor, process: null, reason: reason ?? 'status.update' });
    return { verdict: 'accepted', code: null, events: started.events, task: started.task };
  }
  const given = to === 'ready' ? giveBack(tx, run) : null;
  const moved = transition(tx, task, { to, actor, reason, ...given?.release });
  return { verdict: 'accepted', code: null, events: [...(given?.events ?? []), ...moved.events], task: moved.task };
}

/** Anybody may claim a ready task: the run that held it ends, or two would hold one task. */
function giveBack(tx: Tx, run: Run | null) {
  if (run === null) return null;
  const ended = endRun(tx, run, { status: 'abandoned', endReason: 'given back' });
  return { events: [ended.event], release: { with: { runId: null } } };
}

function writeLog(tx: Tx, message: StatusMessage, task: Task): MessageOutcome {
  const entry = message.logEntry;
  if (entry === null) return { verdict: 'accepted', code: null, events: [], task };
  const body = appendToWorkLog(task.body, entry);
  // The event has the entry; a body that is full does not grow further.
  if (body.length > TASK_BODY_CHARACTERS_MAX) {
    const event = logged(tx, message, { type: 'task.logged', payload: { entry, isBodyFull: true } });
    return { verdict: 'accepted', code: null, events: [event], task };
  }
  const kept: Task = { ...task, body, revision: task.revision + 1, updatedAt: tx.moment.now.wallMs };
  updateTaskBody(tx, kept);
  const event = logged(tx, message, { type: 'task.logged', payload: { entry } });
  return { verdict: 'accepted', code: null, events: [event], task: kept };
}
