import { EVENT_PATHS_MAX } from '../domain/limits.ts';
import { DISPATCHER } from '../domain/task/decide-sender.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { LedgerEvent } from '../domain/trace/ledger-event.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { selectTask } from '../ledger/statements/tasks.ts';

interface OverlapFacts {
  /** One a task; `with` is null for a person. */
  readonly sides: readonly { readonly taskId: TaskName; readonly runId: string; readonly with: TaskName | null }[];
  readonly paths: readonly string[];
}

/** Tells each task that another one, or a person, changes the same files. */
export const recordOverlap: Command<OverlapFacts, { readonly events: readonly LedgerEvent[] }> = (
  tx,
  { sides, paths },
) => {
  const shown = { files: paths.length, paths: paths.slice(0, EVENT_PATHS_MAX) };
  const known = sides.filter(({ taskId }) => selectTask(tx, taskId) !== null);
  return {
    events: known.map(({ taskId, runId, with: other }) =>
      insertEvent(tx, {
        type: 'work.overlapped',
        actor: DISPATCHER,
        taskId,
        runId,
        payload: { with: other ?? 'person', ...shown },
      }),
    ),
  };
};
