import type { Reader } from '../tx.ts';

/** Something that is wrong and not yet put right. */
export interface Incident {
  readonly id: string;
  readonly kind: string;
  readonly taskId: string | null;
  readonly detail: string;
  readonly openedAt: number;
}

export function selectOpenIncidents(tx: Reader, limit: number): Incident[] {
  const sql = 'SELECT id, kind, task_id, detail, opened_at FROM incidents WHERE closed_at IS NULL ORDER BY id LIMIT ?';
  return tx.all(sql, limit).map((row) => ({
    id: row.id as string,
    kind: row.kind as string,
    taskId: row.task_id as string | null,
    detail: row.detail as string,
    openedAt: row.opened_at as number,
  }));
}
