import type { TaskName } from '../../domain/task/task.ts';
import type { Reader, Tx } from '../tx.ts';

/** A task that was handed down, and the answer of the receiving agent. */
export interface HandoffRow {
  readonly taskId: TaskName;
  readonly parentId: TaskName;
  readonly fromAgent: string;
  readonly toAgent: string;
  /** The payload of the handoff.request, as JSON. */
  readonly request: string;
  readonly state: 'requested' | 'accepted' | 'rejected';
  readonly at: number;
}

export function selectHandoff(tx: Reader, taskId: string): HandoffRow | null {
  const row = tx.one(
    'SELECT task_id, parent_id, from_agent, to_agent, request, state, at FROM handoffs WHERE task_id = ?',
    taskId,
  );
  if (!row) return null;
  return {
    taskId: row.task_id as TaskName,
    parentId: row.parent_id as TaskName,
    fromAgent: row.from_agent as string,
    toAgent: row.to_agent as string,
    request: row.request as string,
    state: row.state as HandoffRow['state'],
    at: row.at as number,
  };
}

export function hasHandedDown(tx: Reader, parentId: string): boolean {
  return tx.one('SELECT 1 FROM handoffs WHERE parent_id = ? LIMIT 1', parentId) !== undefined;
}

const UPSERT_HANDOFF = `INSERT INTO handoffs (task_id, parent_id, from_agent, to_agent, request, state, at)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET parent_id = excluded.parent_id, from_agent = excluded.from_agent,
  to_agent = excluded.to_agent, request = excluded.request, state = excluded.state, at = excluded.at`;

export function upsertHandoff(tx: Tx, row: HandoffRow): void {
  tx.write(UPSERT_HANDOFF, row.taskId, row.parentId, row.fromAgent, row.toAgent, row.request, row.state, row.at);
}
