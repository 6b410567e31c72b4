import { PRIORITIES, type Priority, type Task, type TaskName, type TaskUid } from '../domain/task.ts';
import type { TaskStatus } from '../domain/task-lifecycle.ts';
import type { Tuple } from './tx.ts';

/** In the order that `toTask` reads them. */
export const TASK_COLUMNS = `id, uid, title, status, priority, agent, role, team, tags, resource, parent_id, depends_on,
  body, metadata, sla, created_at, updated_at, last_transition_at, created_by, run_id, fence, revision, reclaims, head_hash`;

export function toTask(tuple: Tuple): Task {
  const metadata = tuple[13] as string;
  const sla = tuple[14] as string | null;
  return {
    id: tuple[0] as TaskName,
    uid: tuple[1] as TaskUid,
    title: tuple[2] as string,
    status: tuple[3] as TaskStatus,
    priority: PRIORITIES[tuple[4] as number] as Priority,
    routing: {
      agent: tuple[5] as string | null,
      role: tuple[6] as string | null,
      team: tuple[7] as string | null,
      tags: list(tuple[8] as string) as string[],
    },
    resource: tuple[9] as string | null,
    parentId: tuple[10] as TaskName | null,
    dependsOn: list(tuple[11] as string) as TaskName[],
    body: tuple[12] as string,
    metadata: metadata === '{}' ? {} : (JSON.parse(metadata) as Record<string, unknown>),
    sla: sla === null ? null : JSON.parse(sla),
    createdAt: tuple[15] as number,
    updatedAt: tuple[16] as number,
    lastTransitionAt: tuple[17] as number,
    createdBy: tuple[18] as string,
    runId: tuple[19] as string | null,
    fence: tuple[20] as number,
    revision: tuple[21] as number,
    reclaims: tuple[22] as number,
    headHash: tuple[23] as string | null,
  };
}

function list(json: string): unknown[] {
  return json === '[]' ? [] : (JSON.parse(json) as unknown[]);
}
