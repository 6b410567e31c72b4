import type { LedgerEvent } from '../domain/ledger-event.ts';
import { refuse } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { selectTask } from '../ledger/statements/tasks.ts';

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
    | 'run.quota_reached'
    | 'run.session_opened';
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
