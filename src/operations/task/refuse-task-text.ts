import { isAgentName } from '../../domain/agent/agent.ts';
import {
  TASK_BODY_CHARACTERS_MAX,
  TASK_LABEL_CHARACTERS_MAX,
  TASK_REASON_CHARACTERS_MAX,
  TASK_TAGS_MAX,
  TASK_TITLE_CHARACTERS_MAX,
} from '../../domain/limits.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { TaskText } from '../../domain/task/task-text.ts';
import { hasOpenOrder } from '../../ledger/statements/orders.ts';
import { hasTask } from '../../ledger/statements/tasks.ts';
import type { Reader, Tx } from '../../ledger/tx.ts';
import { reaches } from './depend-task.ts';

/** The front matter of a file is YAML, which has none. */
const NUL = '\0';

function withNul(name: string): Refusal {
  return refuse('invalid_argument', `${name}: a text must not contain a NUL character`, `/${name}`);
}

/** Refuses text in a task's file that no task may have; null if all of it is valid. */
export function refuseTaskText(tx: Reader, text: Omit<TaskText, 'status'>, id: string | null): Refusal | null {
  const wrongText = refuseTitleAndBody(text.title, text.body) ?? refuseFileLabels(text);
  if (wrongText) return wrongText;
  if (text.agent !== null && !isAgentName(text.agent)) {
    return refuse('invalid_argument', `${JSON.stringify(text.agent)} is not a valid agent name`, '/routing/agent');
  }
  for (const needs of text.dependsOn) {
    if (!hasTask(tx, needs)) return refuse('task_not_found', `there is no task ${needs}`, '/dependsOn');
    if (id !== null && reaches(tx, needs, id as TaskName))
      return refuse('dependency_cycle', `${needs} itself waits for ${id}`, '/dependsOn');
  }
  return null;
}

/** An accepted order keeps its agent: after such an edit no agent could lease it, and nothing would say why. */
export function refuseOtherAgent(tx: Tx, { id, routing }: Task, agent: string | null): Refusal | null {
  if (agent === routing.agent || !hasOpenOrder(tx, id)) return null;
  const refusal = refuse(
    'already_claimed',
    `the order of ${id} was accepted for ${routing.agent ?? 'another agent'}`,
    '/agent',
  );
  return { ...refusal, hint: `baton stop ${id}; then baton continue ${id} --agent ${agent ?? 'NAME'}` };
}

/** In a file the labels but the resource are fields of `routing`. */
function refuseFileLabels(labels: Labels): Refusal | null {
  const refusal = refuseLabels(labels);
  return refusal?.path && refusal.path !== '/resource' ? { ...refusal, path: `/routing${refusal.path}` } : refusal;
}

/** Short texts of a task, which events and the front matter of its file contain. */
interface Labels {
  readonly role: string | null;
  readonly team: string | null;
  readonly resource: string | null;
  readonly tags: readonly string[];
}

/** Refuses a reason that is too long for an event. */
export function refuseReason(reason: string | null): Refusal | null {
  if (reason?.includes(NUL)) return withNul('reason');
  if (reason === null || reason.length <= TASK_REASON_CHARACTERS_MAX) return null;
  const message = `a reason has at most ${TASK_REASON_CHARACTERS_MAX} characters, not ${reason.length}`;
  return refuse('invalid_argument', `${message}; put longer text into the body`, '/reason');
}

export function refuseLabels(labels: Labels): Refusal | null {
  const { tags } = labels;
  if (tags.length > TASK_TAGS_MAX)
    return refuse('invalid_argument', `a task has at most ${TASK_TAGS_MAX} tags`, '/tags');
  if (tags.some(isLong)) return tooLong('tags');
  if (tags.some((tag) => tag.includes(NUL))) return withNul('tags');
  const long = LABELS.find((name) => isLong(labels[name]));
  const nul = LABELS.find((name) => labels[name]?.includes(NUL));
  if (nul !== undefined) return withNul(nul);
  return long === undefined ? null : tooLong(long);
}

const LABELS = ['role', 'team', 'resource'] as const;

function isLong(label: string | null): boolean {
  return label !== null && label.length > TASK_LABEL_CHARACTERS_MAX;
}

function tooLong(name: string): Refusal {
  return refuse('invalid_argument', `${name}: at most ${TASK_LABEL_CHARACTERS_MAX} characters`, `/${name}`);
}

export function refuseTitleAndBody(title: string, body: string): Refusal | null {
  if (title.trim() === '') return refuse('invalid_argument', 'a task needs a title', '/title');
  if (title.includes(NUL)) return withNul('title');
  if (/[\r\n]/.test(title)) return refuse('invalid_argument', 'a title is one line', '/title');
  if (title.length > TASK_TITLE_CHARACTERS_MAX) {
    return refuse('invalid_argument', `a title has at most ${TASK_TITLE_CHARACTERS_MAX} characters`, '/title');
  }
  if (body.length > TASK_BODY_CHARACTERS_MAX) {
    return refuse('invalid_argument', `a body has at most ${TASK_BODY_CHARACTERS_MAX} characters`, '/body');
  }
  return null;
}
