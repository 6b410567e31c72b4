import { assertNever } from '../domain/assert-never.ts';
import { decideSender } from '../domain/decisions/decide-sender.ts';
import type { LedgerEvent } from '../domain/ledger-event.ts';
import type { TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/insert-event.ts';
import { selectMeta } from '../ledger/statements/meta.ts';
import { selectRun } from '../ledger/statements/select-run.ts';
import { selectTask } from '../ledger/statements/select-task.ts';
import type { Tx } from '../ledger/tx.ts';
import type { AofEnvelope } from '../protocols/aof/schema/messages.ts';
import type { Warning } from '../protocols/codec.ts';
import { applyCompletionReport } from './apply-completion-report.ts';
import { applyHandoffAnswer } from './apply-handoff-answer.ts';
import { applyHandoffRequest } from './apply-handoff-request.ts';
import { applyStatusUpdate } from './apply-status-update.ts';
import { beat } from './beat-run.ts';
import { type Heard, logged, type MessageOutcome, reject } from './message-outcome.ts';

export interface ReceivedMessage {
  readonly message: AofEnvelope;
  readonly warnings: readonly Warning[];
  /** The run that the channel carries; null where it carries none. */
  readonly channelRun: string | null;
}

/** AOF/1, the router: an accepted message finds its task, is judged by its sender, and takes effect. */
export const receiveMessage: Command<ReceivedMessage, MessageOutcome> = (tx, received) => {
  const { message } = received;
  const project = selectMeta(tx, 'project');
  if (message.projectId !== undefined && project !== null && message.projectId !== project) {
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
  const heart = live !== null && live.agent === message.fromAgent ? beat(tx, live, tx.moment.now) : live;
  const before = logReceived(tx, received);
  const outcome = apply(tx, message, { task, run: heart });
  return { ...outcome, events: [...before, ...outcome.events] };
};

function apply(tx: Tx, message: AofEnvelope, heard: Heard): MessageOutcome {
  switch (message.type) {
    case 'completion.report':
      return applyCompletionReport(tx, message, heard);
    case 'status.update':
      return applyStatusUpdate(tx, message, heard);
    case 'handoff.request':
      return applyHandoffRequest(tx, message, heard);
    case 'handoff.accepted':
    case 'handoff.rejected':
      return applyHandoffAnswer(tx, message, heard);
    default:
      return assertNever(message);
  }
}

function logReceived(tx: Tx, { message, warnings }: ReceivedMessage): LedgerEvent[] {
  const about = { actor: message.fromAgent, taskId: message.taskId as TaskName };
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
function rejectUnknownTask(tx: Tx, message: AofEnvelope): MessageOutcome {
  const rejected = reject(tx, message, 'task_not_found');
  if (message.type !== 'handoff.request') return rejected;
  const event = logged(tx, message, { type: 'delegation.rejected', payload: { reason: 'task_not_found' } });
  return { ...rejected, events: [...rejected.events, event] };
}
