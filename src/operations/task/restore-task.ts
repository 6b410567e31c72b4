import { DISPATCHER } from '../../domain/task/decide-sender.ts';
import { type CompletionOutcome, resolveCompletionTransitions } from '../../domain/task/resolve-completion.ts';
import { isReviewRequired, type Task, type TaskName } from '../../domain/task/task.ts';
import type { TaskStatus } from '../../domain/task/task-lifecycle.ts';
import type { TaskContent } from '../../domain/task/task-text.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertDependency } from '../../ledger/statements/dependencies.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import {
  countOpen,
  hasTask,
  insertTask,
  selectTask,
  updateTaskFields,
  updateTaskStatus,
} from '../../ledger/statements/tasks.ts';
import { draftTask, nameFor } from './adopt-task.ts';
import { refuseTitleAndBody } from './refuse-task-text.ts';

/** A task of a lost ledger, as far as its files describe it. */
export interface FoundTask {
  readonly content: TaskContent;
  /** Null if the file has no revision. */
  readonly revision: number | null;
  readonly folder: TaskStatus;
  readonly path: string;
  readonly traces: RunTraces;
}

/** The remaining facts about a task's runs. */
export interface RunTraces {
  /** The highest fence of any run: the next lease gets a higher one. */
  readonly fence: number;
  /** The outcome that the newest run reported; null if it reported none. */
  readonly outcome: CompletionOutcome | null;
}

/** Inserts a task of a lost ledger. `restoreDependencies` follows once all tasks are there. */
export const restoreTask: Command<FoundTask, { readonly id: TaskName; readonly isNew: boolean }> = (tx, found) => {
  const { content, traces, path } = found;
  if (content.id !== null && hasTask(tx, content.id)) return { id: content.id as TaskName, isNew: false };
  const refusal = refuseTitleAndBody(content.text.title, content.text.body);
  if (refusal) return refusal;
  const draft = draftTask(tx, content);
  const status = statusWithoutRun(found, draft);
  const createdBy = content.fixed.createdBy ?? draft.createdBy;
  const task: Task = { ...draft, id: nameFor(tx, content), status, createdBy, fence: traces.fence };
  insertTask(tx, task, 0);
  // The row of a new task has no fence and its first revision.
  updateTaskStatus(tx, { ...task, revision: Math.max(1, found.revision ?? 1) + 1 });
  const payload = { uid: task.uid, title: task.title, status, rebuiltFrom: 'tree', path };
  insertEvent(tx, { type: 'task.created', actor: DISPATCHER, taskId: task.id, payload });
  return { id: task.id, isNew: true };
};

/** No task is in progress without a run, and the run is lost: its reported outcome decides, else the task is ready. */
function statusWithoutRun({ folder, traces }: FoundTask, task: Pick<Task, 'metadata'>): TaskStatus {
  if (folder !== 'in-progress') return folder;
  const moves =
    traces.outcome === null ? [] : resolveCompletionTransitions(folder, traces.outcome, isReviewRequired(task));
  return moves.at(-1) ?? 'ready';
}

/** Inserts the dependencies of a restored task and returns those whose task was not restored. */
export const restoreDependencies: Command<{ readonly id: TaskName }, { readonly missing: readonly TaskName[] }> = (
  tx,
  { id },
) => {
  const task = selectTask(tx, id);
  if (!task) return { missing: [] };
  const missing = task.dependsOn.filter((needs) => !hasTask(tx, needs));
  const dependsOn = task.dependsOn.filter((needs) => !missing.includes(needs));
  const parentId = task.parentId !== null && hasTask(tx, task.parentId) ? task.parentId : null;
  updateTaskFields(tx, { ...task, dependsOn, parentId }, countOpen(tx, dependsOn));
  for (const needs of dependsOn) insertDependency(tx, id, needs);
  return { missing };
};
