import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { Run } from '../domain/run.ts';
import type { Task, TaskName } from '../domain/task.ts';
import { insertEvent, type NewEvent } from '../ledger/statements/events.ts';
import { liveRunOf } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import type { AofEnvelope } from '../protocols/aof/schema/messages.ts';
import type { Warning } from '../protocols/codec.ts';

/** What a message did. A message that is rejected changes nothing but the log. */
export interface MessageOutcome {
  readonly verdict: 'accepted' | 'refused';
  readonly code: string | null;
  readonly events: readonly LedgerEvent[];
  readonly task: Task | null;
}

/** A message that is heard: whom it is about, and who holds that task. */
export interface Heard {
  readonly task: Task;
  /** The live run that holds the task. */
  readonly run: Run | null;
  /** The run that the channel carries; null where it carries none. */
  readonly channelRun: string | null;
  readonly missingSummary: string | null;
}

/** Logs that a message was not heard, and why. */
export function reject(tx: Tx, message: AofEnvelope, reason: string): MessageOutcome {
  const event = logged(tx, message, { type: 'protocol.message.rejected', payload: { type: message.type, reason } });
  return { verdict: 'refused', code: reason, events: [event], task: null };
}

/** An event that a message caused: its sender is the actor. */
export function logged(
  tx: Tx,
  message: Pick<AofEnvelope, 'fromAgent' | 'taskId'>,
  event: Pick<NewEvent, 'type' | 'payload' | 'runId'>,
): LedgerEvent {
  return insertEvent(tx, { ...aboutSender(tx, message), ...event });
}

/** The run is the sender's own: one that holds the task of the message. */
function aboutSender(tx: Tx, { fromAgent, taskId }: Pick<AofEnvelope, 'fromAgent' | 'taskId'>) {
  const task = selectTask(tx, taskId);
  const run = task && liveRunOf(tx, task);
  return { actor: fromAgent, taskId: taskId as TaskName, runId: run?.agent === fromAgent ? run.id : null };
}

/** That a message came, and what was odd about it. */
export function logReceived(tx: Tx, message: AofEnvelope, warnings: readonly Warning[]): LedgerEvent[] {
  const about = aboutSender(tx, message);
  const received = {
    type: 'protocol.message.received' as const,
    ...about,
    payload: { type: message.type, toAgent: message.toAgent },
  };
  const notes = warnings.map(({ code, path, message: sentence }) => ({
    type: 'protocol.message.warning' as const,
    ...about,
    payload: { type: message.type, reason: code, path, message: sentence },
  }));
  return [received, ...notes].map((event) => insertEvent(tx, event));
}

/** AOF/1, Error Cases: of a handoff the delegation is rejected as well. */
export function rejectUnknownTask(tx: Tx, message: AofEnvelope): MessageOutcome {
  const rejected = reject(tx, message, 'task_not_found');
  if (message.type !== 'handoff.request') return rejected;
  const event = logged(tx, message, { type: 'delegation.rejected', payload: { reason: 'task_not_found' } });
  return { ...rejected, events: [...rejected.events, event] };
}
