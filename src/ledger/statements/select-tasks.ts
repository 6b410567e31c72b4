import type { Task } from '../../domain/task.ts';
import { isTerminal, TASK_STATUSES, type TaskStatus } from '../../domain/task-lifecycle.ts';
import { TASK_COLUMNS, toTask } from '../task-row.ts';
import type { Reader } from '../tx.ts';

export function selectLastTouched(tx: Reader): Task | null {
  const last = tx.one('SELECT task_id FROM events WHERE task_id IS NOT NULL ORDER BY seq DESC LIMIT 1');
  const tuple = last && tx.tuple(`SELECT ${TASK_COLUMNS} FROM tasks WHERE id = ?`, last.task_id ?? null);
  return tuple ? toTask(tuple) : null;
}

/** The newest task whose name ends in this number. */
export function selectNewestNumbered(tx: Reader, number: string): Task | null {
  const tuple = tx.tuple(
    `SELECT ${TASK_COLUMNS} FROM tasks WHERE id LIKE 'TASK-%-' || ? ORDER BY number DESC LIMIT 1`,
    number,
  );
  return tuple ? toTask(tuple) : null;
}

/** Tasks whose title has all the words, newest first. */
export function selectTitled(tx: Reader, words: string, limit: number): Task[] {
  const parts = words.split(/\s+/).filter((word) => word !== '');
  const where = parts.map(() => "title LIKE '%' || ? || '%' ESCAPE '\\'").join(' AND ');
  const escaped = parts.map((word) => word.replaceAll(/[\\%_]/g, '\\$&'));
  return tx
    .tuples(`SELECT ${TASK_COLUMNS} FROM tasks WHERE ${where} ORDER BY number DESC LIMIT ?`, ...escaped, limit)
    .map(toTask);
}

export interface TaskFilter {
  readonly status: TaskStatus | null;
  readonly agent: string | null;
  readonly parentId: string | null;
  /** Leaves done and cancelled out, unless one of them is asked for. */
  readonly openOnly: boolean;
}

/** One page, newest last, above a row number; the caller goes on from the last one's number. */
export function selectTaskPage(
  tx: Reader,
  filter: TaskFilter,
  page: { readonly after: number; readonly limit: number },
) {
  const sql = `SELECT ${TASK_COLUMNS}, number FROM tasks WHERE number > ?1
    AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR agent = ?3) AND (?4 IS NULL OR parent_id = ?4)
    AND (?5 = 0 OR status NOT IN ('done', 'cancelled')) ORDER BY number LIMIT ?6`;
  const tuples = tx.tuples(
    sql,
    page.after,
    filter.status,
    filter.agent,
    filter.parentId,
    filter.openOnly ? 1 : 0,
    page.limit,
  );
  return tuples.map((tuple) => ({ number: tuple.at(-1) as number, task: toTask(tuple) }));
}

export function countByStatus(tx: Reader): Partial<Record<TaskStatus, number>> {
  // In an index: the rows themselves, with all that was ever written, are not read.
  const rows = tx.all('SELECT status, count(*) AS tasks FROM tasks GROUP BY status');
  return Object.fromEntries(rows.map((row) => [row.status, row.tasks]));
}

/** Open tasks of one status, most urgent first. */
export function selectByUrgency(tx: Reader, status: TaskStatus, limit: number): Task[] {
  const sql = `SELECT ${TASK_COLUMNS} FROM tasks WHERE status = ?
    ORDER BY priority, number LIMIT ?`;
  return tx.tuples(sql, status, limit).map(toTask);
}

// Named one by one, each is found in the index: what has ended is not looked at.
const OPEN = TASK_STATUSES.filter((status) => !isTerminal(status)).map((status) => `'${status}'`);
const COUNT_OPEN = `SELECT count(*) FROM (SELECT 1 FROM tasks WHERE status IN (${OPEN.join(', ')}) LIMIT ?)`;

/** Counts no further than `max`. */
export function countOpenTasks(tx: Reader, max: number): number {
  return Number(tx.tuple(COUNT_OPEN, max)?.[0] ?? 0);
}
