import type { Task, TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { hasTask, insertTask, updateTaskStatus } from '../ledger/statements/tasks.ts';
import type { RunTraces } from '../tree/read-run-traces.ts';
import type { TaskFileRead } from '../tree/read-tasks.ts';
import { adoptedTask, nameOf } from './insert-adopted.ts';
import { refuseText } from './refuse-words.ts';
import { statusWithoutRun } from './status-without-run.ts';
import { DISPATCHER } from './tree-troubles.ts';

export interface FoundTask extends TaskFileRead {
  readonly traces: RunTraces;
}

/** A task of a ledger that was lost, from its file. Whom it waits for is put right once all are there. */
export const restoreTask: Command<FoundTask, { readonly id: TaskName; readonly isNew: boolean }> = (tx, found) => {
  const { content, traces, path } = found;
  if (content.id !== null && hasTask(tx, content.id)) return { id: content.id as TaskName, isNew: false };
  const refusal = refuseText(content.text.title, content.text.body);
  if (refusal) return refusal;
  const drawn = adoptedTask(tx, content);
  const status = statusWithoutRun(found, drawn);
  const createdBy = content.fixed.createdBy ?? drawn.createdBy;
  const task: Task = { ...drawn, id: nameOf(tx, content), status, createdBy, fence: traces.fence };
  insertTask(tx, task, 0);
  // The row of a new task has no fence and its first revision.
  updateTaskStatus(tx, { ...task, revision: Math.max(1, found.revision ?? 1) + 1 });
  const payload = { uid: task.uid, title: task.title, status, rebuiltFrom: 'tree', path };
  insertEvent(tx, { type: 'task.created', actor: DISPATCHER, taskId: task.id, payload });
  return { id: task.id, isNew: true };
};
