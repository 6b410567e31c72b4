import type { Run } from '../../domain/run.ts';
import { RUN_COLUMNS, toRun } from '../run-row.ts';
import type { Reader } from '../tx.ts';

export interface RunFilter {
  readonly taskId: string | null;
  readonly liveOnly: boolean;
}

/** One page in the order the runs were started, above a run's id; the caller goes on from the last one's id. */
export function selectRunPage(
  tx: Reader,
  { taskId, liveOnly }: RunFilter,
  page: { readonly after: string; readonly limit: number },
): Run[] {
  // Each condition is written out only where it is asked for: so each way has its index.
  const where = ['id > ?', ...(taskId === null ? [] : ['task_id = ?']), ...(liveOnly ? ["status = 'running'"] : [])];
  const values = taskId === null ? [page.after] : [page.after, taskId];
  const sql = `SELECT ${RUN_COLUMNS} FROM runs WHERE ${where.join(' AND ')} ORDER BY id LIMIT ?`;
  return tx.tuples(sql, ...values, page.limit).map(toRun);
}
