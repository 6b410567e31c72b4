import type { Reader } from '../tx.ts';

/** What was said with a task's last move; null where nothing was. */
export function selectLastReason(tx: Reader, taskId: string): string | null {
  const sql = `SELECT payload ->> 'reason' AS reason FROM events
    WHERE task_id = ? AND type = 'task.transitioned' ORDER BY seq DESC LIMIT 1`;
  return (tx.one(sql, taskId)?.reason ?? null) as string | null;
}
