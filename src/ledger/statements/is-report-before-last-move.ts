import type { Reader } from '../tx.ts';

/** Did this task's last report come before its last move? */
export function isReportBeforeLastMove(tx: Reader, taskId: string): boolean {
  const sql = `SELECT type FROM events WHERE task_id = ? AND type IN ('task.completed', 'task.transitioned')
    ORDER BY seq DESC LIMIT 1`;
  return tx.one(sql, taskId)?.type === 'task.transitioned';
}
