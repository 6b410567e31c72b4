import type { Priority, Task, TaskName } from './task.ts';
import type { TaskStatus } from './task-lifecycle.ts';

/** The fields of a task that a person may change in its file. */
export interface TaskText {
  readonly title: string;
  readonly status: TaskStatus;
  readonly priority: Priority;
  readonly agent: string | null;
  readonly role: string | null;
  readonly team: string | null;
  readonly tags: readonly string[];
  readonly resource: string | null;
  readonly dependsOn: readonly TaskName[];
  readonly sla: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Fields that nobody may change in a file; undefined where the file leaves one out. */
export interface FixedText {
  readonly uid: string | undefined;
  readonly project: string | undefined;
  readonly parentId: string | undefined;
  readonly createdBy: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number | undefined;
}

/** A task as its file describes it. */
export interface TaskContent {
  /** Null if the file has no id. */
  readonly id: string | null;
  readonly text: TaskText;
  readonly fixed: FixedText;
}

/** A change of a task that somebody typed into its file. */
export interface TaskEdit {
  readonly text: Omit<TaskText, 'status'>;
  readonly changed: readonly string[];
  /** The requested status; null if the edit asks for none. */
  readonly to: TaskStatus | null;
}

/** JSON, as the ledger stores it for a later merge. */
export function encodeTaskText(task: Task): string {
  const { title, status, priority, resource, dependsOn, sla, metadata, body } = task;
  const { agent, role, team, tags } = task.routing;
  const text: TaskText = { title, status, priority, agent, role, team, tags, resource, dependsOn, sla, metadata, body };
  return JSON.stringify(text);
}

export function decodeTaskText(json: string): TaskText {
  return JSON.parse(json) as TaskText;
}

export function withTaskText(task: Task, text: TaskEdit['text']): Task {
  const { agent, role, team, tags, ...rest } = text;
  return { ...task, ...rest, routing: { agent, role, team, tags } };
}

export function fixedTextOf(task: Task, project: string | null): FixedText {
  const { uid, parentId, createdBy, createdAt } = task;
  return { uid, project: project ?? undefined, parentId: parentId ?? undefined, createdBy, createdAt };
}

/** Names of the fixed fields that differ from the task; a field that the file leaves out does not differ. */
export function changedFixed(disk: FixedText, ledger: FixedText): string[] {
  const names = ['uid', 'project', 'parentId', 'createdBy', 'createdAt'] as const;
  return names.filter((name) => disk[name] !== undefined && disk[name] !== ledger[name]);
}
