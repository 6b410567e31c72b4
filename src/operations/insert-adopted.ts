import { FILESYSTEM } from '../domain/decisions/decide-sender.ts';
import type { Task, TaskName, TaskUid } from '../domain/task.ts';
import { insertDependency } from '../ledger/statements/dependencies.ts';
import { nextTaskName, reserveTaskName } from '../ledger/statements/task-names.ts';
import { countOpen, insertTask, selectTaskByUid } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import type { FileContent } from '../tree/compare.ts';
import type { NewFile } from '../tree/tree-commands.ts';

const UID = /^tsk_[0-9A-HJKMNP-TV-Z]{26}$/;

/** The row of a task that is known by its file alone, with the file's name or a new one. */
export function insertAdopted(tx: Tx, { content, folder }: NewFile): Task {
  // In-progress is never without a run that holds it; the run moves it there.
  const status = folder === 'in-progress' ? 'ready' : folder;
  const task: Task = { ...adoptedTask(tx, content), id: nameOf(tx, content), status };
  insertTask(tx, task, countOpen(tx, task.dependsOn));
  for (const needs of task.dependsOn) insertDependency(tx, task.id, needs);
  return task;
}

/** The file's own name, which nobody else gets, or a new one. */
export function nameOf(tx: Tx, { id }: FileContent): TaskName {
  if (id === null) return nextTaskName(tx, tx.moment.now.wallMs);
  reserveTaskName(tx, id as TaskName);
  return id as TaskName;
}

/** What the file says; what it does not say is as of a new task. */
export function adoptedTask(tx: Tx, { text, fixed }: FileContent): Omit<Task, 'id'> {
  const { wallMs } = tx.moment.now;
  const { agent, role, team, tags, ...rest } = text;
  return {
    ...rest,
    uid: uidOf(tx, fixed.uid),
    routing: { agent, role, team, tags },
    parentId: (fixed.parentId ?? null) as TaskName | null,
    createdAt: fixed.createdAt ?? wallMs,
    updatedAt: wallMs,
    lastTransitionAt: wallMs,
    createdBy: FILESYSTEM,
    runId: null,
    fence: 0,
    revision: 1,
    reclaims: 0,
    headHash: null,
    sessionId: null,
  };
}

/** The file's own, where it is one and no other task has it. */
function uidOf(tx: Tx, given: string | undefined): TaskUid {
  const isFree = given !== undefined && UID.test(given) && selectTaskByUid(tx, given) === null;
  return (isFree ? given : `tsk_${tx.moment.ids.ulid()}`) as TaskUid;
}
