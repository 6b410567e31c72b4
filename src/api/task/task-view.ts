import type { Priority } from '../../domain/task/task.ts';
import type { TaskStatus } from '../../domain/task/task-lifecycle.ts';
import type { WorkState } from '../../domain/work/work-state.ts';

/** A task as it leaves Baton. Instants are RFC 3339. */
export interface TaskView {
  readonly id: string;
  readonly uid: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly priority: Priority;
  readonly agent: string | null;
  readonly role: string | null;
  readonly team: string | null;
  readonly tags: readonly string[];
  readonly resource: string | null;
  readonly parentId: string | null;
  readonly dependsOn: readonly string[];
  readonly runId: string | null;
  /** The state of the work of its last order; null if none waits and none was applied, undone or discarded. */
  readonly work: WorkState | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastTransitionAt: string;
  readonly createdBy: string;
  readonly revision: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Options of every call that changes something. */
export interface CallOptions {
  /** Sent again with the same key, a call gives its first answer and changes nothing. */
  readonly key?: string;
}
