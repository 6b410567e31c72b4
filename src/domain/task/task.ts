import type { WorkState } from '../work/work-state.ts';
import type { TaskStatus } from './task-lifecycle.ts';

/** From most to least urgent: the order of dispatch. */
export const PRIORITIES = ['critical', 'high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** TASK-YYYY-MM-DD-NNN: the name for people, files and AOF (common:task-names). */
export type TaskName = string & { readonly brand: 'TaskName' };
export const TASK_NAME = /^TASK-\d{4}-\d{2}-\d{2}-\d{3}$/;
/** Such a name within a longer text. */
export const TASK_NAME_INSIDE = /TASK-\d{4}-\d{2}-\d{2}-\d{3}/;
/** tsk_ + ULID: the name on the wire between machines. */
export type TaskUid = string & { readonly brand: 'TaskUid' };

/** A task and the name of its agent. */
export interface RoutedTask {
  readonly id: TaskName;
  readonly agent: string;
}

export interface Routing {
  readonly agent: string | null;
  readonly role: string | null;
  readonly team: string | null;
  readonly tags: readonly string[];
}

/** A piece of work: one row of the ledger, one file of the tree. Instants are milliseconds since 1970. */
export interface Task {
  readonly id: TaskName;
  readonly uid: TaskUid;
  readonly title: string;
  readonly status: TaskStatus;
  readonly priority: Priority;
  readonly routing: Routing;
  /** At most one running task may hold a resource. */
  readonly resource: string | null;
  readonly parentId: TaskName | null;
  readonly dependsOn: readonly TaskName[];
  readonly body: string;
  /** Free-form, as people and agents wrote it; Baton reads reviewRequired and delegationDepth. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly sla: unknown;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastTransitionAt: number;
  readonly createdBy: string;
  /** The run that holds the task, or held it last and has not ended. */
  readonly runId: string | null;
  /** The fence of the newest lease; only goes up. */
  readonly fence: number;
  /** Goes up with every change; the tree's file carries it. */
  readonly revision: number;
  /** Leases that ended without any report, since the last one (aof:reclaims). */
  readonly reclaims: number;
  /** SAOP: the git state that goes with the last transition. */
  readonly headHash: string | null;
  /** The session of its newest order; null for a task that was never ordered. */
  readonly sessionId: string | null;
  /** Null where nothing waits and nothing was done with the work. */
  readonly work: WorkState | null;
}

/** aof:review: done goes to review unless the task says otherwise. */
export function isReviewRequired(task: Pick<Task, 'metadata'>): boolean {
  return task.metadata.reviewRequired !== false;
}

/** Checks of a task that was created by hand, as its metadata has them. */
export function checksOfTask({ metadata }: Pick<Task, 'metadata'>): readonly string[] {
  const { checks } = metadata;
  return Array.isArray(checks) ? checks.filter((check) => typeof check === 'string' && check.trim() !== '') : [];
}

/** How often the task was delegated; the document stores it in metadata. */
export function delegationDepth(task: Pick<Task, 'metadata'>): number {
  const depth = task.metadata.delegationDepth;
  return typeof depth === 'number' ? depth : 0;
}
