import type { Now } from '../../domain/now.ts';
import type { Run } from '../../domain/run.ts';
import type { Task, TaskName } from '../../domain/task.ts';
import { RUN_COLUMNS, toRun } from '../run-row.ts';
import { type Reader, Tx } from '../tx.ts';

const SELECT_RUN = `SELECT ${RUN_COLUMNS} FROM runs WHERE id = ?`;

export function selectRun(tx: Reader, id: string): Run | null {
  const known = tx instanceof Tx ? tx.rows.run(id) : undefined;
  if (known) return known;
  const tuple = tx.tuple(SELECT_RUN, id);
  const run = tuple ? toRun(tuple) : null;
  if (run && tx instanceof Tx) tx.rows.keepRun(run);
  return run;
}

/** All runs of a task, oldest first. */
export function selectRunsOfTask(tx: Reader, taskId: string): Run[] {
  return tx.tuples(`SELECT ${RUN_COLUMNS} FROM runs WHERE task_id = ? ORDER BY fence`, taskId).map(toRun);
}

/** The run of an order is its runner's to end: it knows what follows (dispatch/order-runner.ts). */
const BY_HAND = 'NOT EXISTS (SELECT 1 FROM orders WHERE orders.task_id = runs.task_id AND is_open = 1)';

/** Live runs whose heart has stopped by the clock of this boot, longest first. */
export function selectStaleRuns(tx: Reader, now: Now, limit: number): Run[] {
  const sql = `SELECT ${RUN_COLUMNS} FROM runs WHERE status = 'running' AND boot_id = ? AND beat_expires_mono <= ?
    AND ${BY_HAND} ORDER BY beat_expires_mono LIMIT ?`;
  return tx.tuples(sql, now.bootId, now.monotonicMs, limit).map(toRun);
}

/** Live runs that were leased before the machine came up this time. */
export function selectRunsOfOtherBoots(tx: Reader, now: Now, limit: number): Run[] {
  const sql = `SELECT ${RUN_COLUMNS} FROM runs WHERE status = 'running' AND boot_id <> ? AND ${BY_HAND} LIMIT ?`;
  return tx.tuples(sql, now.bootId, limit).map(toRun);
}

/** Tasks that a live run holds. */
export function selectRunningTasks(tx: Reader, limit: number): TaskName[] {
  return tx.tuples("SELECT task_id FROM runs WHERE status = 'running' LIMIT ?", limit).map(([id]) => id as TaskName);
}

/** The run that holds a task now. */
export function liveRunOf(tx: Reader, task: Pick<Task, 'runId'>): Run | null {
  const run = task.runId === null ? null : selectRun(tx, task.runId);
  return run?.status === 'running' ? run : null;
}
