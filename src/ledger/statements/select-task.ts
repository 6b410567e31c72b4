import type { Task, TaskName } from '../../domain/task.ts';
import type { TaskStatus } from '../../domain/task-lifecycle.ts';
import { TASK_COLUMNS, toTask } from '../task-row.ts';
import { type Reader, Tx } from '../tx.ts';

// Built once: a statement is found by its text, and a text made anew for each call must be hashed anew.
const SELECT_TASK = `SELECT ${TASK_COLUMNS} FROM tasks WHERE id = ?`;
const SELECT_TASK_BY_UID = `SELECT ${TASK_COLUMNS} FROM tasks WHERE uid = ?`;

export function selectTask(tx: Reader, id: string): Task | null {
  const known = tx instanceof Tx ? tx.rows.task(id) : undefined;
  if (known) return known;
  const tuple = tx.tuple(SELECT_TASK, id);
  const task = tuple ? toTask(tuple) : null;
  if (task && tx instanceof Tx) tx.rows.keepTask(task);
  return task;
}

export function selectTaskByUid(tx: Reader, uid: string): Task | null {
  const tuple = tx.tuple(SELECT_TASK_BY_UID, uid);
  return tuple ? toTask(tuple) : null;
}

export function hasTask(tx: Reader, id: string): boolean {
  return tx.one('SELECT 1 FROM tasks WHERE id = ?', id) !== undefined;
}

export function selectTaskStatus(tx: Reader, id: string): TaskStatus | null {
  return (tx.one('SELECT status FROM tasks WHERE id = ?', id)?.status ?? null) as TaskStatus | null;
}

/** Those of the named tasks that are not done. */
export function countOpen(tx: Reader, ids: readonly TaskName[]): number {
  let open = 0;
  for (const id of ids) if (tx.one('SELECT status FROM tasks WHERE id = ?', id)?.status !== 'done') open++;
  return open;
}
