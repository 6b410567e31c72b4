import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { resolveCompletionTransitions } from '../domain/resolve-completion.ts';
import { isReviewRequired } from '../domain/task.ts';
import { isTerminal } from '../domain/task-lifecycle.ts';
import { touchTask } from '../ledger/statements/mirror-files.ts';
import { updateRunBeat } from '../ledger/statements/runs.ts';
import type { Tx } from '../ledger/tx.ts';
import type { CompletionReport } from '../protocols/aof/schema/messages.ts';
import { claimTask } from './claim-task.ts';
import { type Heard, logged, type MessageOutcome, reject } from './message-outcome.ts';
import { noteMissing, resultOf, workerOf } from './result-of-report.ts';
import type { Claimed } from './start-run.ts';

/** AOF/1, Completion Protocol: the result is kept with the run; the task moves when the run ends. */
export function applyCompletionReport(tx: Tx, message: CompletionReport, heard: Heard): MessageOutcome {
  if (isTerminal(heard.task.status)) return { verdict: 'accepted', code: null, events: [], task: heard.task };
  const holding = withRun(tx, message, heard);
  if (!holding) return withoutRun(tx, message, heard);
  if (isRefusal(holding)) return reject(tx, message, holding.code);
  const { run, task, events } = holding;
  updateRunBeat(tx, { ...run, result: resultOf(message, tx.moment.now) });
  touchTask(tx, task.id);
  const { outcome, summaryRef, deliverables = [], tests } = message.payload;
  const payload = { outcome, summaryRef, deliverables, tests, run: run.id };
  const completed = logged(tx, message, { type: 'task.completed', runId: run.id, payload });
  const noted = heard.missingSummary === null ? [] : [noteMissing(tx, message, heard.missingSummary)];
  return { verdict: 'accepted', code: null, events: [...events, completed, ...noted], task };
}

/** A task of nobody hears the report of whoever sends it: it is claimed with it, so that the result has a place. */
function withRun(tx: Tx, message: CompletionReport, { task, run }: Heard): Claimed | Refusal | null {
  if (run) return { task, run, events: [] };
  if (task.status !== 'ready' && task.status !== 'backlog') return null;
  return claimTask(tx, { taskId: task.id, agent: workerOf(message, task), process: null });
}

/** AOF/1, Idempotency: a report that comes again after its run took effect is heard and changes nothing. */
function withoutRun(tx: Tx, message: CompletionReport, { task }: Heard): MessageOutcome {
  const moves = resolveCompletionTransitions(task.status, message.payload.outcome, isReviewRequired(task));
  if (moves.at(-1) !== task.status) return reject(tx, message, 'not_running');
  return { verdict: 'accepted', code: null, events: [], task };
}
