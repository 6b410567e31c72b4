import type { Task } from '../../domain/task.ts';
import type { Tx } from '../tx.ts';

const UPDATE_TASK_STATUS = `UPDATE tasks SET status = ?, run_id = ?, fence = ?, reclaims = ?, revision = ?, updated_at = ?,
  last_transition_at = ? WHERE id = ?`;

/** Of a task that moved: its status and who holds it. */
export function updateTaskStatus(tx: Tx, task: Task): void {
  const { status, runId, fence, reclaims, revision, updatedAt, lastTransitionAt } = task;
  tx.write(UPDATE_TASK_STATUS, status, runId, fence, reclaims, revision, updatedAt, lastTransitionAt, task.id);
  tx.rows.keepTask(task);
  tx.touched.add(task.id);
}
