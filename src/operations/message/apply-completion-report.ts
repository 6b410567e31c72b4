import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { CompletionMessage } from '../../domain/task/agent-message.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import { resolveCompletionTransitions } from '../../domain/task/resolve-completion.ts';
import { isReviewRequired, type Task } from '../../domain/task/task.ts';
import { isTerminal } from '../../domain/task/task-lifecycle.ts';
import { touchTask } from '../../ledger/statements/mirror-files.ts';
import { updateRunBeat } from '../../ledger/statements/runs.ts';
import type { Tx } from '../../ledger/tx.ts';
import type { ClaimedTask } from '../run/start-run.ts';
import { claimTask } from '../task/claim-task.ts';
import { logged, type MessageOutcome, type MessageSubject, reject } from './message-outcome.ts';

/** AOF/1, Completion Protocol: the result is stored with the run; the task moves when the run ends. */
export function applyCompletion(tx: Tx, message: CompletionMessage, subject: MessageSubject): MessageOutcome {
  if (isTerminal(subject.task.status)) return { verdict: 'accepted', code: null, events: [], task: subject.task };
  const holding = withRun(tx, message, subject);
  if (!holding) return withoutRun(tx, message, subject);
  if (isRefusal(holding)) return reject(tx, message, holding.code);
  const { run, task, events } = holding;
  // The time is Baton's: the clock of a sender is not trusted.
  updateRunBeat(tx, {
    ...run,
    result: { ...message.result, completedAt: tx.moment.now.wallMs, agent: message.fromAgent },
  });
  touchTask(tx, task.id);
  const { outcome, summaryRef, deliverables, tests } = message.result;
  const payload = { outcome, summaryRef, deliverables, tests, run: run.id };
  const completed = logged(tx, message, { type: 'task.completed', runId: run.id, payload });
  const { missingFiles } = subject;
  const noted = missingFiles.length === 0 ? [] : [noteMissing(tx, message, missingFiles)];
  return { verdict: 'accepted', code: null, events: [...events, completed, ...noted], task };
}

/** A report for a task that no run holds claims it first, so that the result belongs to a run. */
function withRun(
  tx: Tx,
  message: CompletionMessage,
  { task, run, isOrdered }: MessageSubject,
): ClaimedTask | Refusal | null {
  if (run) return { task, run, events: [] };
  // Baton starts the next run of its order itself.
  if (isOrdered) return null;
  if (task.status !== 'ready' && task.status !== 'backlog') return null;
  return claimTask(tx, { taskId: task.id, agent: workerOf(message, task), process: null });
}

/** AOF/1, Idempotency: a report that is sent again after it was applied is accepted and changes nothing. */
function withoutRun(tx: Tx, message: CompletionMessage, { task }: MessageSubject): MessageOutcome {
  const moves = resolveCompletionTransitions(task.status, message.result.outcome, isReviewRequired(task));
  if (moves.at(-1) !== task.status) return reject(tx, message, 'not_running');
  return { verdict: 'accepted', code: null, events: [], task };
}

/** A report without its summary or handoff file is accepted with one warning (aof:refs). */
function noteMissing(tx: Tx, message: CompletionMessage, files: readonly string[]): ReturnType<typeof logged> {
  const names = files.map((file) => JSON.stringify(file)).join(' and no file ');
  const about = {
    type: message.type,
    reason: 'summary_file_not_found',
    path: files.includes(message.result.summaryRef) ? message.summaryPath : '',
    message: `there is no file ${names} in the folder of ${message.taskId}`,
  };
  return logged(tx, message, { type: 'protocol.message.warning', payload: about });
}

/** An operator reports for the agent that the task is routed to. */
function workerOf({ fromAgent }: CompletionMessage, { routing }: Task): string {
  return fromAgent === OPERATOR ? (routing.agent ?? OPERATOR) : fromAgent;
}
