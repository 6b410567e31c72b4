import type { Task, TaskName, TaskUid } from '../../../src/domain/task/task.ts';

/** A task for pure code: ready, of nobody, unless told otherwise. */
export function aTask(given: Partial<Task> = {}): Task {
  return {
    id: 'TASK-2026-02-09-057' as TaskName,
    uid: 'tsk_00000000000000000000000057' as TaskUid,
    title: 'Add users endpoint',
    status: 'ready',
    priority: 'normal',
    routing: { agent: null, role: null, team: null, tags: [] },
    resource: null,
    parentId: null,
    dependsOn: [],
    body: '',
    metadata: {},
    sla: null,
    createdAt: 0,
    updatedAt: 0,
    lastTransitionAt: 0,
    createdBy: 'operator',
    runId: null,
    fence: 0,
    revision: 1,
    reclaims: 0,
    headHash: null,
    sessionId: null,
    work: null,
    ...given,
  };
}
