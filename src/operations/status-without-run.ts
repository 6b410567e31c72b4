import { resolveCompletionTransitions } from '../domain/resolve-completion.ts';
import { isReviewRequired, type Task } from '../domain/task.ts';
import type { TaskStatus } from '../domain/task-lifecycle.ts';
import type { RunTraces } from '../tree/read-run-traces.ts';

/** Its run is lost, and nothing is in progress without one: what the run said decides, else the task is ready again. */
export function statusWithoutRun({ folder, traces }: FolderTraces, task: Pick<Task, 'metadata'>): TaskStatus {
  if (folder !== 'in-progress') return folder;
  const moves =
    traces.outcome === null ? [] : resolveCompletionTransitions(folder, traces.outcome, isReviewRequired(task));
  return moves.at(-1) ?? 'ready';
}

interface FolderTraces {
  readonly folder: TaskStatus;
  readonly traces: RunTraces;
}
