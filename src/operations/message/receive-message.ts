import { assertNever } from '../../domain/assert-never.ts';
import type { AgentMessage, MessageWarning } from '../../domain/task/agent-message.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import { decideSender } from '../../domain/task/decide-sender.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { selectMeta } from '../../ledger/statements/meta.ts';
import { hasOpenOrder } from '../../ledger/statements/orders.ts';
import { liveRunOf } from '../../ledger/statements/runs.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { beaten, beatHolder } from '../run/beat-run.ts';
import { applyCompletion } from './apply-completion-report.ts';
import { applyHandoffAnswer, applyHandoffRequest } from './apply-handoff.ts';
import { applyStatusUpdate } from './apply-status-update.ts';
import { logReceived, type MessageOutcome, type MessageSubject, reject, rejectUnknownTask } from './message-outcome.ts';
import { judgeReach } from './read-reach.ts';

export interface ReceivedMessage {
  readonly message: AgentMessage;
  readonly warnings: readonly MessageWarning[];
  /** The run that the channel carries; null where it carries none. */
  readonly channelRun: string | null;
  /** The run that sends the message: it may speak in its agent's name only, of its own task and what that delegated. */
  readonly holder?: RunHolder;
  /** The summary and handoff files of a report that do not exist. */
  readonly missingFiles?: readonly string[];
}

/** Finds the task of a message, judges its sender, and applies it. */
export const receiveMessage: Command<ReceivedMessage, MessageOutcome> = (tx, received) => {
  const { holder } = received;
  const message = holder ? { ...received.message, senderRun: holder.runId } : received.message;
  const judged = holder ? judgeReach(tx, holder, message) : null;
  if (holder && judged !== null) {
    const { refusal } = judged;
    // Logged with the run's own task: a message leaves no trace on a task that it may not speak of.
    const own = { ...message, fromAgent: holder.agent, taskId: holder.taskId };
    if (refusal !== null) return refusal === 'task_not_found' ? rejectUnknownTask(tx, own) : reject(tx, own, refusal);
  }
  if (message.projectId !== null && message.projectId !== selectMeta(tx, 'project')) {
    return reject(tx, message, 'project_mismatch');
  }
  const task = selectTask(tx, message.taskId);
  if (!task) return rejectUnknownTask(tx, message);
  const isDelegator = judged?.reach === 'delegated';
  // The run of a channel holds its own task, not what it delegated.
  const channelRun = isDelegator && message.kind !== 'handoff' ? null : received.channelRun;
  const live = liveRunOf(tx, task);
  // The holder of its parent judges a handoff: see apply-handoff.ts.
  if (message.kind === 'completion' || message.kind === 'status') {
    const { fromAgent } = message;
    const decision = decideSender(task, { fromAgent, channelRun, holder: live?.agent ?? null, isDelegator });
    if (decision.kind === 'rejected') return reject(tx, message, decision.reason);
  }
  const isHolder = !isDelegator && live?.agent === message.fromAgent;
  const run = live !== null && isHolder ? beaten(live, tx.moment.now) : live;
  // A completion is stored together with its beat.
  if (live !== null && isHolder && message.kind !== 'completion') beatHolder(tx, task, live);
  const before = logReceived(tx, message, received.warnings);
  const missingFiles = received.missingFiles ?? [];
  const isOrdered = hasOpenOrder(tx, task.id);
  const outcome = applyMessage(tx, message, { task, run, channelRun, isDelegator, isOrdered, missingFiles });
  return { ...outcome, events: [...before, ...outcome.events] };
};

/** Applies a message whose sender may speak of its task. */
function applyMessage(tx: Tx, message: AgentMessage, subject: MessageSubject): MessageOutcome {
  switch (message.kind) {
    case 'completion':
      return applyCompletion(tx, message, subject);
    case 'status':
      return applyStatusUpdate(tx, message, subject);
    case 'handoff':
      return applyHandoffRequest(tx, message, subject);
    case 'handoff-answer':
      return applyHandoffAnswer(tx, message, subject);
    default:
      return assertNever(message);
  }
}
