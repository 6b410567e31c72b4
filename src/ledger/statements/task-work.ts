import type { Task } from '../../domain/task/task.ts';
import type { TaskStatus } from '../../domain/task/task-lifecycle.ts';
import type { Reader, Tx } from '../tx.ts';
import { TASK_COLUMNS, toTask } from './tasks.ts';

/** For a task whose work waits, or was applied, undone or discarded. */
export function updateTaskWork(tx: Tx, task: Task): void {
  tx.write('UPDATE tasks SET work = ? WHERE id = ?', task.work, task.id);
  tx.rows.keepTask(task);
}

/** Tasks whose work waits to be applied, oldest first. */
export function selectToApply(tx: Reader, limit: number): Task[] {
  const sql = `SELECT ${TASK_COLUMNS} FROM tasks WHERE work = 'waiting' ORDER BY number LIMIT ?`;
  return tx.tuples(sql, limit).map(toTask);
}

export function countToApply(tx: Reader): number {
  return Number(tx.tuple("SELECT count(*) FROM tasks WHERE work = 'waiting'")?.[0] ?? 0);
}

/** Tasks of a status whose work was not taken back, most urgent first. */
export function selectUndecided(tx: Reader, status: TaskStatus, limit: number): Task[] {
  const sql = `SELECT ${TASK_COLUMNS} FROM tasks WHERE status = ? AND (work IS NULL OR work NOT IN ('undone', 'discarded'))
    ORDER BY priority, number LIMIT ?`;
  return tx.tuples(sql, status, limit).map(toTask);
}

const COUNT_UNDECIDED =
  "SELECT count(*) FROM tasks WHERE status = ? AND (work IS NULL OR work NOT IN ('undone', 'discarded'))";

export function countUndecided(tx: Reader, status: TaskStatus): number {
  return Number(tx.tuple(COUNT_UNDECIDED, status)?.[0] ?? 0);
}

const COUNT_ASKED = `SELECT count(*) FROM tasks WHERE status IN ('blocked', 'deadletter')
  AND (work IS NULL OR work NOT IN ('undone', 'discarded'))
  AND id IN (SELECT task_id FROM questions INDEXED BY questions_open WHERE answer IS NULL)`;

/** Blocked tasks with a question that waits for an answer. */
export function countAsked(tx: Reader): number {
  return Number(tx.tuple(COUNT_ASKED)?.[0] ?? 0);
}
