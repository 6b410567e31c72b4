import type { Task, TaskName } from '../../domain/task.ts';
import { TASK_COLUMNS, toTask } from '../task-row.ts';
import type { Reader } from '../tx.ts';

export function selectTask(tx: Reader, id: string): Task | null {
  const row = tx.one(`SELECT ${TASK_COLUMNS} FROM tasks WHERE id = ?`, id);
  return row ? toTask(row) : null;
}

export function selectTaskByUid(tx: Reader, uid: string): Task | null {
  const row = tx.one(`SELECT ${TASK_COLUMNS} FROM tasks WHERE uid = ?`, uid);
  return row ? toTask(row) : null;
}

export function hasTask(tx: Reader, id: string): boolean {
  return tx.one('SELECT 1 FROM tasks WHERE id = ?', id) !== undefined;
}

/** Those of the named tasks that are not done. */
export function countOpen(tx: Reader, ids: readonly TaskName[]): number {
  let open = 0;
  for (const id of ids) if (tx.one('SELECT status FROM tasks WHERE id = ?', id)?.status !== 'done') open++;
  return open;
}
