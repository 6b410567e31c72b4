import { decideSender } from '../domain/decisions/decide-sender.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectMeta } from '../ledger/statements/meta.ts';
import { touchTask } from '../ledger/statements/mirror-files.ts';
import { selectRun, updateRunBeat } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { AofEnvelope } from '../protocols/aof/schema/messages.ts';
import type { Warning } from '../protocols/codec.ts';
import { applyMessage } from './apply-message.ts';
import { beaten } from './beat-run.ts';
import { logReceived, type MessageOutcome, reject, rejectUnknownTask } from './message-outcome.ts';

export interface ReceivedMessage {
  readonly message: AofEnvelope;
  readonly warnings: readonly Warning[];
  /** The run that the channel carries; null where it carries none. */
  readonly channelRun: string | null;
  /** Where the sender is known by its run: who it is, and the one task that it may speak of. */
  readonly holder?: { readonly agent: string; readonly taskId: string };
  /** The summary that a report names, where it is not in the task's folder. */
  readonly missingSummary?: string | null;
}

/** AOF/1, the router: an accepted message finds its task, is judged by its sender, and takes effect. */
export const receiveMessage: Command<ReceivedMessage, MessageOutcome> = (tx, received) => {
  const { message, holder } = received;
  if (holder && (holder.agent !== message.fromAgent || holder.taskId !== message.taskId)) {
    return reject(tx, { ...message, fromAgent: holder.agent, taskId: holder.taskId }, 'unauthorized_agent');
  }
  if (message.projectId !== undefined && message.projectId !== selectMeta(tx, 'project')) {
    return reject(tx, message, 'project_mismatch');
  }
  const task = selectTask(tx, message.taskId);
  if (!task) return rejectUnknownTask(tx, message);
  const run = task.runId === null ? null : selectRun(tx, task.runId);
  const live = run?.status === 'running' ? run : null;
  // A handoff is judged by its parent's holder, in its own file.
  if (message.type === 'completion.report' || message.type === 'status.update') {
    const sender = { fromAgent: message.fromAgent, channelRun: received.channelRun, holder: live?.agent ?? null };
    const decision = decideSender(task, sender);
    if (decision.kind === 'rejected') return reject(tx, message, decision.reason);
  }
  const isHolder = live?.agent === message.fromAgent;
  const heart = live !== null && isHolder ? beaten(live, tx.moment.now) : live;
  // A report is written with the beat that it is.
  if (heart !== null && isHolder && message.type !== 'completion.report') updateRunBeat(tx, heart);
  const before = logReceived(tx, message, received.warnings);
  const outcome = applyMessage(tx, message, {
    task,
    run: heart,
    channelRun: received.channelRun,
    missingSummary: received.missingSummary ?? null,
  });
  // A heartbeat is a file of its own: the tree has work, though the task may be as it was.
  if (isHolder) touchTask(tx, task.id);
  return { ...outcome, events: [...before, ...outcome.events] };
};
