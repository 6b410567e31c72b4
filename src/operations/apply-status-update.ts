import { refuseBusyResource, refuseOpenDependencies } from '../domain/decisions/decide-claim.ts';
import type { Run } from '../domain/run.ts';
import type { Task } from '../domain/task.ts';
import { canMove } from '../domain/task-lifecycle.ts';
import { updateTaskBody } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import type { StatusUpdate } from '../protocols/aof/schema/messages.ts';
import { appendToWorkLog, transitionReason, workLogEntry } from '../protocols/aof/work-log.ts';
import { type Heard, logged, type MessageOutcome } from './message-outcome.ts';
import { readWaits } from './read-waits.ts';
import { startRun } from './start-run.ts';
import { endRun, transition } from './transition.ts';

/** AOF/1, Status Update Protocol: a legal new status moves the task; anything else goes into its work log. */
export function applyStatusUpdate(tx: Tx, message: StatusUpdate, { task, run }: Heard): MessageOutcome {
  const to = message.payload.status;
  if (to === undefined || to === task.status || !canMove(task.status, to)) return writeLog(tx, message, task);
  const reason = transitionReason(message);
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

/** Ready means that anybody may claim it: the run that held it is over, or two would hold one task. */
function giveBack(tx: Tx, run: Run | null) {
  if (run === null) return null;
  const ended = endRun(tx, run, { status: 'abandoned', endReason: 'given back' });
  return { events: [ended], release: { with: { runId: null } } };
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
