import type { AgentMessage, MessageWarning } from '../domain/agent-message.ts';
import { decideSender } from '../domain/decisions/decide-sender.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectHandoff } from '../ledger/statements/handoffs.ts';
import { selectMeta } from '../ledger/statements/meta.ts';
import { touchTask } from '../ledger/statements/mirror-files.ts';
import { liveRunOf, updateRunBeat } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { applyMessage } from './apply-message.ts';
import { beaten } from './beat-run.ts';
import { logReceived, type MessageOutcome, reject, rejectUnknownTask } from './message-outcome.ts';

export interface ReceivedMessage {
  readonly message: AgentMessage;
  readonly warnings: readonly MessageWarning[];
  /** The run that the channel carries; null where it carries none. */
  readonly channelRun: string | null;
  /** The run that sends the message: it may speak in its agent's name only, of its own task and what that delegated. */
  readonly holder?: Holder;
  /** The summary file that a report names, if it does not exist. */
  readonly missingSummary?: string | null;
}

interface Holder {
  readonly agent: string;
  readonly taskId: string;
}

/** Finds the task of a message, judges its sender, and applies it. */
export const receiveMessage: Command<ReceivedMessage, MessageOutcome> = (tx, received) => {
  const { message, holder } = received;
  if (holder && !isInScope(tx, message, holder)) {
    return reject(tx, { ...message, fromAgent: holder.agent, taskId: holder.taskId }, 'unauthorized_agent');
  }
  if (message.projectId !== null && message.projectId !== selectMeta(tx, 'project')) {
    return reject(tx, message, 'project_mismatch');
  }
  const task = selectTask(tx, message.taskId);
  if (!task) return rejectUnknownTask(tx, message);
  // The run of a channel holds its own task, not what it delegated.
  const channelRun = holder && isDelegated(tx, message, holder) ? null : received.channelRun;
  const live = liveRunOf(tx, task);
  // The holder of its parent judges a handoff: see apply-handoff-request.ts.
  if (message.kind === 'completion' || message.kind === 'status') {
    const decision = decideSender(task, { fromAgent: message.fromAgent, channelRun, holder: live?.agent ?? null });
    if (decision.kind === 'rejected') return reject(tx, message, decision.reason);
  }
  const isHolder = live?.agent === message.fromAgent;
  const run = live !== null && isHolder ? beaten(live, tx.moment.now) : live;
  // A completion is stored together with its beat.
  if (run !== null && isHolder && message.kind !== 'completion') updateRunBeat(tx, run);
  const before = logReceived(tx, message, received.warnings);
  const outcome = applyMessage(tx, message, { task, run, channelRun, missingSummary: received.missingSummary ?? null });
  // The heartbeat has a file of its own, so the tree changes even where the task does not.
  if (isHolder) touchTask(tx, task.id);
  return { ...outcome, events: [...before, ...outcome.events] };
};

function isInScope(tx: Reader, message: AgentMessage, holder: Holder): boolean {
  if (message.fromAgent !== holder.agent) return false;
  if (message.taskId === holder.taskId) return true;
  return message.kind === 'handoff' ? message.handoff.parentTaskId === holder.taskId : isDelegated(tx, message, holder);
}

function isDelegated(tx: Reader, { kind, taskId }: AgentMessage, holder: Holder): boolean {
  return kind !== 'handoff' && taskId !== holder.taskId && selectHandoff(tx, taskId)?.parentId === holder.taskId;
}
