import type { Task } from '../../domain/task.ts';
import type { Tx } from '../tx.ts';

/** Of a task that goes round again: who is to take it, and not before when. */
export function updateTaskDue(tx: Tx, task: Task, dueAt: number | null): void {
  tx.write('UPDATE tasks SET agent = ?, due_at = ? WHERE id = ?', task.routing.agent, dueAt, task.id);
  tx.rows.keepTask(task);
  tx.touched.add(task.id);
}
