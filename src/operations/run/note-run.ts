import { refuse } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { insertFact } from '../../ledger/statements/run-facts.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';

export interface RunNote {
  readonly taskId: TaskName;
  readonly runId: string;
  readonly type:
    | 'run.progressed'
    | 'run.warned'
    | 'run.thought'
    | 'run.spoke'
    | 'run.retried'
    | 'run.tool_started'
    | 'run.tool_ended'
    | 'run.question_asked'
    | 'run.quota_reached';
  readonly payload: Readonly<Record<string, unknown>>;
}

/** An event of a live run that people want to see and no decision depends on. */
export const noteRun: Command<RunNote, { readonly events: readonly LedgerEvent[] }> = (
  tx,
  { taskId, runId, ...note },
) => {
  const task = selectTask(tx, taskId);
  if (task?.runId !== runId) return refuse('stale_run', `${runId} does not hold ${taskId} any more`);
  const payload = { run: runId, ...note.payload };
  const actor = task.routing.agent ?? 'dispatcher';
  return { events: [insertEvent(tx, { type: note.type, actor, taskId, runId, payload })] };
};

interface OpenedSession {
  readonly taskId: TaskName;
  readonly runId: string;
  readonly session: string;
  readonly model: string | null;
  readonly version: string | null;
}

/** Records the session of a live run with its vendor at once, so that a run that is lost with its node can be resumed too. */
export const recordSession: Command<OpenedSession, { readonly events: readonly LedgerEvent[] }> = (
  tx,
  { taskId, runId, session, model, version },
) => {
  const task = selectTask(tx, taskId);
  if (task?.runId !== runId) return refuse('stale_run', `${runId} does not hold ${taskId} any more`);
  const order = selectOrder(tx, taskId);
  if (order?.isOpen) insertFact(tx, order, { kind: 'session-opened', runId, session, model, version });
  const payload = { run: runId, id: session, model, version };
  const actor = task.routing.agent ?? 'dispatcher';
  return { events: [insertEvent(tx, { type: 'run.session_opened', actor, taskId, runId, payload })] };
};
