import { PRIORITIES, type Task } from '../../domain/task.ts';
import type { NewRow } from '../pending-rows.ts';
import type { Tx } from '../tx.ts';

const TASK: NewRow = {
  table: 'tasks',
  into: `INSERT INTO tasks (id, uid, title, status, priority, agent, role, team, tags, resource, parent_id,
    depends_on, open_dependencies, body, metadata, sla, created_at, updated_at, last_transition_at, created_by, run_id,
    fence, revision, reclaims, due_at, head_hash) VALUES`,
  row: '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, 0, 1, 0, NULL, NULL)',
};

export function insertTask(tx: Tx, task: Task, openDependencies: number): void {
  tx.insert(
    TASK,
    task.id,
    task.uid,
    task.title,
    task.status,
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
    task.createdAt,
    task.updatedAt,
    task.lastTransitionAt,
    task.createdBy,
  );
  tx.rows.keepTask(task);
  tx.touched.add(task.id);
}
