import { PRIORITIES, type Task } from '../../domain/task.ts';
import type { Tx } from '../tx.ts';

const UPDATE_TASK_FIELDS = `UPDATE tasks SET title = ?, priority = ?, agent = ?, role = ?, team = ?, tags = ?, resource = ?,
  parent_id = ?, depends_on = ?, open_dependencies = ?, body = ?, metadata = ?, sla = ?, revision = ?, updated_at = ?
  WHERE id = ?`;

/** Of a task that was edited: what people and agents wrote. */
export function updateTaskFields(tx: Tx, task: Task, openDependencies: number): void {
  tx.write(
    UPDATE_TASK_FIELDS,
    task.title,
    PRIORITIES.indexOf(task.priority),
    task.routing.agent,
    task.routing.role,
    task.routing.team,
    JSON.stringify(task.routing.tags),
    task.resource,
    task.parentId,
    JSON.stringify(task.dependsOn),
    openDependencies,
    task.body,
    JSON.stringify(task.metadata),
    task.sla === null ? null : JSON.stringify(task.sla),
    task.revision,
    task.updatedAt,
    task.id,
  );
  tx.rows.keepTask(task);
  tx.touched.add(task.id);
}

const UPDATE_TASK_BODY = 'UPDATE tasks SET body = ?, revision = ?, updated_at = ? WHERE id = ?';

export function updateTaskBody(tx: Tx, task: Task): void {
  tx.write(UPDATE_TASK_BODY, task.body, task.revision, task.updatedAt, task.id);
  tx.rows.keepTask(task);
  tx.touched.add(task.id);
}
