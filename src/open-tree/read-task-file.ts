import type { TaskName } from '../domain/task/task.ts';
import { TASK_STATUSES, type TaskStatus } from '../domain/task/task-lifecycle.ts';
import type { FixedText, TaskContent, TaskText } from '../domain/task/task-text.ts';
import { isJsonObject } from '../domain/words/json-object.ts';
import { type TaskFile, type TaskFrontMatter, taskFrontMatterSchema } from '../protocols/aof/schema/files.ts';
import { readTaskValue } from '../protocols/aof/task-file.ts';
import { explainIssue } from '../protocols/explain-issue.ts';
import { splitFrontMatter } from '../protocols/front-matter.ts';
import { readYaml } from '../protocols/yaml-text.ts';

export type TaskFileReading =
  | { readonly kind: 'task'; readonly content: TaskContent; readonly revision: number | null }
  /** Without content, as after a power cut. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'unreadable'; readonly problem: string };

/** Replaces a missing id, which the schema requires. */
const NO_ID = 'TASK-0000-00-00-000';
const PROBLEMS_TOLD_MAX = 3;
const PROBLEM_CHARACTERS_MAX = 300;

/** Parses a task's file as people write it: without an id for a new task, without a status for that of the folder. */
export function readEditedTaskFile(bytes: Uint8Array, folder: TaskStatus | null): TaskFileReading {
  if (bytes.every((byte) => byte === 0)) return { kind: 'empty' };
  const text = textOf(bytes);
  if (text === null) return unreadable('it is not UTF-8');
  const parts = splitFrontMatter(text);
  if (!parts) return unreadable('it has no front matter between two lines of ---');
  const reading = readYaml(parts.yaml);
  if (reading.kind === 'broken') return unreadable(...reading.issues.map(explainIssue));
  if (!isJsonObject(reading.value)) return unreadable('its front matter is no list of keys and values');
  const { value } = reading;
  const frontMatter = { ...value, id: value.id ?? NO_ID, status: value.status ?? folder ?? TASK_STATUSES[0] };
  const verdict = readTaskValue({ frontMatter, body: parts.body });
  if (verdict.verdict !== 'accepted') {
    const errors = verdict.verdict === 'malformed' ? verdict.errors : [];
    return unreadable(...errors.map(({ message }) => message));
  }
  const { message } = verdict;
  const { id, revision } = message.frontMatter;
  const content = { id: id === NO_ID ? null : id, text: textOfFile(message), fixed: fixedOfFile(message) };
  return { kind: 'task', content, revision: revision ?? null };
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8: Baton could not write the same bytes back.
    return null;
  }
}

function unreadable(...problems: readonly string[]): TaskFileReading {
  const told = problems.slice(0, PROBLEMS_TOLD_MAX).join('; ');
  return { kind: 'unreadable', problem: told.slice(0, PROBLEM_CHARACTERS_MAX) };
}

const KNOWN_KEYS: ReadonlySet<string> = new Set(Object.keys(taskFrontMatterSchema.shape));
const KNOWN_ROUTES: ReadonlySet<string> = new Set(['agent', 'role', 'team', 'tags']);

/** Missing fields get their defaults; unknown keys move into the metadata (common:unknown-fields). */
function textOfFile({ frontMatter, body }: TaskFile): TaskText {
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

function fixedOfFile({ frontMatter }: TaskFile): FixedText {
  const { uid, project, parentId, createdBy, createdAt } = frontMatter;
  return { uid, project, parentId, createdBy, createdAt: createdAt === undefined ? undefined : Date.parse(createdAt) };
}
