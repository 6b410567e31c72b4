import type { Priority, Task, TaskName } from '../domain/task.ts';
import type { TaskStatus } from '../domain/task-lifecycle.ts';
import { type TaskFile, type TaskFrontMatter, taskFrontMatterSchema } from '../protocols/aof/schema/task.ts';

/** What a person may change in a task's file. */
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

/** What a person may not change; undefined where the file does not say it. */
export interface FixedText {
  readonly uid: string | undefined;
  readonly project: string | undefined;
  readonly parentId: string | undefined;
  readonly createdBy: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number | undefined;
}

const KNOWN_KEYS: ReadonlySet<string> = new Set(Object.keys(taskFrontMatterSchema.shape));
const KNOWN_ROUTES: ReadonlySet<string> = new Set(['agent', 'role', 'team', 'tags']);

function textOfTask(task: Task): TaskText {
  const { title, status, priority, resource, dependsOn, sla, metadata, body } = task;
  const { agent, role, team, tags } = task.routing;
  return { title, status, priority, agent, role, team, tags, resource, dependsOn, sla, metadata, body };
}

/** As it is kept for a later merge. */
export function writeBase(task: Task): string {
  return JSON.stringify(textOfTask(task));
}

export function readBase(json: string): TaskText {
  return JSON.parse(json) as TaskText;
}

/** What a file leaves out has its default. Keys that Baton does not know are kept in the metadata (D-G6). */
export function textOfFile({ frontMatter, body }: TaskFile): TaskText {
  const { routing = {} } = frontMatter;
  return {
    title: frontMatter.title.trim(),
    status: frontMatter.status,
    priority: frontMatter.priority ?? 'normal',
    agent: routing.agent ?? null,
    role: routing.role ?? null,
    team: routing.team ?? null,
    tags: routing.tags ?? [],
    resource: frontMatter.resource ?? null,
    dependsOn: [...new Set((frontMatter.dependsOn ?? []) as TaskName[])],
    sla: frontMatter.sla ?? null,
    metadata: { ...frontMatter.metadata, ...unknownKeys(frontMatter) },
    body,
  };
}

function unknownKeys(frontMatter: TaskFrontMatter): Record<string, unknown> {
  const { routing = {} } = frontMatter;
  const own = Object.entries(frontMatter).filter(([key]) => !KNOWN_KEYS.has(key));
  const routes = Object.entries(routing).filter(([key]) => !KNOWN_ROUTES.has(key));
  return Object.fromEntries([...own, ...routes.map(([key, value]) => [`routing.${key}`, value])]);
}

export function fixedOfFile({ frontMatter }: TaskFile): FixedText {
  const { uid, project, parentId, createdBy, createdAt } = frontMatter;
  return { uid, project, parentId, createdBy, createdAt: createdAt === undefined ? undefined : Date.parse(createdAt) };
}

export function fixedOfTask(task: Task, project: string | null): FixedText {
  const { uid, parentId, createdBy, createdAt } = task;
  return { uid, project: project ?? undefined, parentId: parentId ?? undefined, createdBy, createdAt };
}

/** Fields that say something else than the task; what was left out says nothing. */
export function changedFixed(disk: FixedText, ledger: FixedText): string[] {
  const names = ['uid', 'project', 'parentId', 'createdBy', 'createdAt'] as const;
  return names.filter((name) => disk[name] !== undefined && disk[name] !== ledger[name]);
}
