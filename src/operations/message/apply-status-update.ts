import { assertNever } from '../../domain/assert-never.ts';
import type { StatusMessage } from '../../domain/task/agent-message.ts';
import { refuseBusyResource, refuseOpenDependencies } from '../../domain/task/decide-claim.ts';
import { decideStatusChange, type StatusAsker } from '../../domain/task/decide-status-change.ts';
import type { Run } from '../../domain/task/run.ts';
import type { TaskStatus } from '../../domain/task/task-lifecycle.ts';
import { hasRunOf } from '../../ledger/statements/runs.ts';
import type { Tx } from '../../ledger/tx.ts';
import { endRun } from '../run/end-run.ts';
import { readWaits, startRun } from '../run/start-run.ts';
import { transition } from '../task/transition.ts';
import { isOperatorsWord, logged, type MessageOutcome, type MessageSubject, writeLog } from './message-outcome.ts';

/** AOF/1, Status Update Protocol: a legal new status moves the task; anything else goes into its work log. */
export function applyStatusUpdate(tx: Tx, message: StatusMessage, subject: MessageSubject): MessageOutcome {
  const { to, logEntry } = message;
  const { task } = subject;
  if (to === null) return writeLog(tx, message, { task, entry: logEntry });
  const decision = decideStatusChange(task.status, to, askerOf(tx, message, subject));
  switch (decision.kind) {
    case 'move':
      return move(tx, message, { ...subject, to });
    case 'not-legal':
      return writeLog(tx, message, { task, entry: logEntry });
    case 'not-theirs':
      return recordClaim(tx, message, { ...subject, to, why: decision.why });
    default:
      return assertNever(decision);
  }
}

function askerOf(tx: Tx, message: StatusMessage, subject: MessageSubject): StatusAsker {
  const { fromAgent } = message;
  const { task, isOrdered, isDelegator } = subject;
  if (isOperatorsWord(message, subject)) return { agent: null, isOrdered, hasWorked: false };
  return { agent: fromAgent, isOrdered, isDelegator, hasWorked: hasRunOf(tx, task.id, fromAgent) };
}

type AskedMove = MessageSubject & { readonly to: TaskStatus };

function move(tx: Tx, message: StatusMessage, { task, run, to }: AskedMove): MessageOutcome {
  const { fromAgent: actor, reason, logEntry } = message;
  // In-progress is never without a run that holds it, and such a run is a claim.
  if (to === 'in-progress' && run === null) {
    const waits = readWaits(tx, task);
    if (refuseOpenDependencies(task, waits) ?? refuseBusyResource(task, waits)) {
      return writeLog(tx, message, { task, entry: logEntry });
    }
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

/** Records a status that its sender may not set: in the work log, and as a warning in the answer. */
function recordClaim(tx: Tx, message: StatusMessage, asked: AskedMove & { readonly why: string }): MessageOutcome {
  const { task, to, why } = asked;
  const said = `Status: ${to} (claimed by ${message.fromAgent}, not applied)`;
  const entry = message.logEntry === null ? `- ${message.sentAt} ${said}` : `${message.logEntry} | ${said}`;
  const recorded = writeLog(tx, message, { task, entry });
  const about = { type: message.type, reason: 'status_not_applied', path: message.statusPath, status: to };
  const sentence = `${task.id} stays ${task.status}, the status ${to} is in its work log: ${why}`;
  const warning = logged(tx, message, {
    type: 'protocol.message.warning',
    payload: { ...about, message: sentence },
  });
  return { ...recorded, events: [...recorded.events, warning] };
}
