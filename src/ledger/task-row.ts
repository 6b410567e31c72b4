import { PRIORITIES, type Priority, type Task, type TaskName, type TaskUid } from '../domain/task.ts';
import type { TaskStatus } from '../domain/task-lifecycle.ts';
import type { Row } from './tx.ts';

export const TASK_COLUMNS = `id, uid, title, status, priority, agent, role, team, tags, resource, parent_id, depends_on,
  body, metadata, sla, created_at, updated_at, last_transition_at, created_by, run_id, fence, revision, reclaims, head_hash`;

export function toTask(row: Row): Task {
  return {
    id: row.id as TaskName,
    uid: row.uid as TaskUid,
    title: row.title as string,
    status: row.status as TaskStatus,
    priority: PRIORITIES[row.priority as number] as Priority,
    routing: {
      agent: row.agent as string | null,
      role: row.role as string | null,
      team: row.team as string | null,
      tags: list(row.tags) as string[],
    },
    resource: row.resource as string | null,
    parentId: row.parent_id as TaskName | null,
    dependsOn: list(row.depends_on) as TaskName[],
    body: row.body as string,
    metadata: row.metadata === '{}' ? {} : (JSON.parse(row.metadata as string) as Record<string, unknown>),
    sla: row.sla === null ? null : JSON.parse(row.sla as string),
    createdAt: row.created_at as number,
    updatedAt: row.updated_at as number,
    lastTransitionAt: row.last_transition_at as number,
    createdBy: row.created_by as string,
    runId: row.run_id as string | null,
    fence: row.fence as number,
    revision: row.revision as number,
    reclaims: row.reclaims as number,
    headHash: row.head_hash as string | null,
  };
}

function list(json: unknown): unknown[] {
  return json === '[]' ? [] : (JSON.parse(json as string) as unknown[]);
}
