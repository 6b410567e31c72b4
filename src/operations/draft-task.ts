import { FILESYSTEM } from '../domain/decisions/decide-sender.ts';
import type { Task, TaskName, TaskUid } from '../domain/task.ts';
import type { TaskContent } from '../domain/task-text.ts';
import { insertDependency } from '../ledger/statements/dependencies.ts';
import { nextTaskName, reserveTaskName } from '../ledger/statements/task-names.ts';
import { countOpen, insertTask, selectTaskByUid } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';

const UID = /^tsk_[0-9A-HJKMNP-TV-Z]{26}$/;

/** The row of a task that is known from its file alone; fields that the file leaves out have a new task's values. */
export function draftTask(tx: Tx, { text, fixed }: TaskContent): Omit<Task, 'id'> {
  const { wallMs } = tx.moment.now;
  const { agent, role, team, tags, ...rest } = text;
  return {
    ...rest,
    uid: uidFor(tx, fixed.uid),
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

/** With its dependencies, all of which exist. */
export function insertDraft(tx: Tx, task: Task): void {
  insertTask(tx, task, countOpen(tx, task.dependsOn));
  for (const needs of task.dependsOn) insertDependency(tx, task.id, needs);
}

/** The id in the file, reserved so that no new task gets it; otherwise a new id. */
export function nameFor(tx: Tx, { id }: TaskContent): TaskName {
  if (id === null) return nextTaskName(tx, tx.moment.now.wallMs);
  reserveTaskName(tx, id as TaskName);
  return id as TaskName;
}

/** The uid in the file if it is valid and free; otherwise a new one. */
function uidFor(tx: Tx, given: string | undefined): TaskUid {
  const isFree = given !== undefined && UID.test(given) && selectTaskByUid(tx, given) === null;
  return (isFree ? given : `tsk_${tx.moment.ids.ulid()}`) as TaskUid;
}
