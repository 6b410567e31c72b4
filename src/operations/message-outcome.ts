import type { EventType, LedgerEvent } from '../domain/ledger-event.ts';
import type { Run } from '../domain/run.ts';
import type { Task, TaskName } from '../domain/task.ts';
import { insertEvent } from '../ledger/statements/insert-event.ts';
import type { Tx } from '../ledger/tx.ts';
import type { AofEnvelope } from '../protocols/aof/schema/messages.ts';

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
  event: { readonly type: EventType; readonly payload: Readonly<Record<string, unknown>> },
): LedgerEvent {
  return insertEvent(tx, { ...event, actor: message.fromAgent, taskId: message.taskId as TaskName });
}
