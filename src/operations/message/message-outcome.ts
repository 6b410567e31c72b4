import { TASK_BODY_CHARACTERS_MAX } from '../../domain/limits.ts';
import type { AgentMessage, MessageRoute, MessageWarning } from '../../domain/task/agent-message.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import type { Run } from '../../domain/task/run.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import { appendToWorkLog } from '../../domain/task/work-log.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertEvent, type NewEvent } from '../../ledger/statements/events.ts';
import { liveRunOf, selectRun } from '../../ledger/statements/runs.ts';
import { hasTask, selectTask, updateTaskBody } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';

/** The effect of a message. A rejected message changes nothing but the log. */
export interface MessageOutcome {
  readonly verdict: 'accepted' | 'refused';
  readonly code: string | null;
  readonly events: readonly LedgerEvent[];
  readonly task: Task | null;
}

/** The task of a message that its sender may speak of, and the run that holds it. */
export interface MessageSubject {
  readonly task: Task;
  /** The live run that holds the task. */
  readonly run: Run | null;
  /** The run that the channel carries; null where it carries none. */
  readonly channelRun: string | null;
  /** An order of Baton is open on the task. */
  readonly isOrdered: boolean;
  /** The sender handed the task down, and its channel is the run of the task above it. */
  readonly isDelegator: boolean;
  readonly missingFiles: readonly string[];
}

/** Whether the sender is an operator. A message that names the run of an order counts as sent by that run, whatever name it carries. */
export function isOperatorsWord(
  { fromAgent, senderRun }: MessageRoute,
  { isOrdered, channelRun }: MessageSubject,
): boolean {
  if (fromAgent !== OPERATOR || senderRun !== undefined) return false;
  return !isOrdered || channelRun === null;
}

/** Logs that a message was rejected, and why. */
export function reject(tx: Tx, message: MessageRoute, reason: string): MessageOutcome {
  const event = logged(tx, message, { type: 'protocol.message.rejected', payload: { type: message.type, reason } });
  return { verdict: 'refused', code: reason, events: [event], task: null };
}

type SenderRoute = Pick<MessageRoute, 'fromAgent' | 'taskId' | 'senderRun'>;

/** An event that a message caused: its sender is the actor. */
export function logged(tx: Tx, message: SenderRoute, event: Pick<NewEvent, 'type' | 'payload' | 'runId'>): LedgerEvent {
  return insertEvent(tx, { ...aboutSender(tx, message), ...event });
}

/** The run is the sender's own: that of its channel, else one of its agent that holds the task of the message. */
function aboutSender(tx: Tx, { fromAgent, taskId, senderRun }: SenderRoute) {
  const about = { actor: fromAgent, taskId: taskId as TaskName };
  if (senderRun !== undefined) return { ...about, runId: senderRun };
  const task = selectTask(tx, taskId);
  const run = task && liveRunOf(tx, task);
  return { ...about, runId: run?.agent === fromAgent ? run.id : null };
}

interface LogEntry {
  readonly task: Task;
  /** Null for a message with nothing to log. */
  readonly entry: string | null;
}

/** Appends an entry to the work log of a task. */
export function writeLog(tx: Tx, message: MessageRoute, { task, entry }: LogEntry): MessageOutcome {
  if (entry === null) return { verdict: 'accepted', code: null, events: [], task };
  const kept = appendToBody(tx, task, entry);
  const payload = { entry, ...(kept === null && { isBodyFull: true }) };
  const event = logged(tx, message, { type: 'task.logged', payload });
  return { verdict: 'accepted', code: null, events: [event], task: kept ?? task };
}

/** The task with one more entry in its work log; null if its body is full, and does not grow further. */
export function appendToBody(tx: Tx, task: Task, entry: string): Task | null {
  const body = appendToWorkLog(task.body, entry);
  if (body.length > TASK_BODY_CHARACTERS_MAX) return null;
  const kept: Task = { ...task, body, revision: task.revision + 1, updatedAt: tx.moment.now.wallMs };
  updateTaskBody(tx, kept);
  return kept;
}

/** Logs that a message was received, and its warnings. */
export function logReceived(tx: Tx, message: MessageRoute, warnings: readonly MessageWarning[]): LedgerEvent[] {
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

/** AOF/1, Error Cases: a handoff also logs that its delegation is rejected. */
export function rejectUnknownTask(tx: Tx, message: AgentMessage): MessageOutcome {
  const rejected = reject(tx, message, 'task_not_found');
  if (message.kind !== 'handoff') return rejected;
  const event = logged(tx, message, { type: 'delegation.rejected', payload: { reason: 'task_not_found' } });
  return { ...rejected, events: [...rejected.events, event] };
}

export interface UndecodableMessage {
  /** As far as it could be read. */
  readonly taskId: string | null;
  readonly fromAgent: string | null;
  readonly type: string | null;
  /** The run that the channel carries. */
  readonly runId: string | null;
  readonly code: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

/** AOF/1, Validation Errors: a message that cannot be decoded is logged, and nothing else happens. */
export const logUndecodable: Command<UndecodableMessage, { readonly events: readonly LedgerEvent[] }> = (
  tx,
  undecodable,
) => {
  const run = undecodable.runId === null ? null : selectRun(tx, undecodable.runId);
  const named =
    undecodable.taskId !== null && hasTask(tx, undecodable.taskId) ? (undecodable.taskId as TaskName) : null;
  const about = { actor: undecodable.fromAgent ?? 'unknown', taskId: run?.taskId ?? named, runId: run?.id ?? null };
  const { type, code: reason, errors } = undecodable;
  const event = insertEvent(
    tx,
    reason === 'unknown_type'
      ? { type: 'protocol.message.unknown', ...about, payload: { type } }
      : { type: 'protocol.message.rejected', ...about, payload: { type, reason, errors } },
  );
  return { events: [event] };
};
