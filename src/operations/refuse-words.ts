import {
  TASK_BODY_CHARACTERS_MAX,
  TASK_LABEL_CHARACTERS_MAX,
  TASK_REASON_CHARACTERS_MAX,
  TASK_TAGS_MAX,
  TASK_TITLE_CHARACTERS_MAX,
} from '../domain/limits.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';

/** Short texts of a task: they stand in events and in the head of its file. */
export interface Labels {
  readonly role: string | null;
  readonly team: string | null;
  readonly resource: string | null;
  readonly tags: readonly string[];
}

/** Why somebody does something; it is kept with the event. */
export function refuseReason(reason: string | null): Refusal | null {
  if (reason === null || reason.length <= TASK_REASON_CHARACTERS_MAX) return null;
  const message = `a reason has at most ${TASK_REASON_CHARACTERS_MAX} characters, not ${reason.length}`;
  return refuse('invalid_argument', `${message}; what is longer belongs into the body`, '/reason');
}

export function refuseLabels(labels: Labels): Refusal | null {
  const { tags } = labels;
  if (tags.length > TASK_TAGS_MAX)
    return refuse('invalid_argument', `a task has at most ${TASK_TAGS_MAX} tags`, '/tags');
  if (tags.some(isLong)) return tooLong('tags');
  const long = LABELS.find((name) => isLong(labels[name]));
  return long === undefined ? null : tooLong(long);
}

const LABELS = ['role', 'team', 'resource'] as const;

function isLong(label: string | null): boolean {
  return label !== null && label.length > TASK_LABEL_CHARACTERS_MAX;
}

function tooLong(name: string): Refusal {
  return refuse('invalid_argument', `${name}: at most ${TASK_LABEL_CHARACTERS_MAX} characters`, `/${name}`);
}

export function refuseText(title: string, body: string): Refusal | null {
  if (title.trim() === '') return refuse('invalid_argument', 'a task needs a title', '/title');
  if (/[\r\n]/.test(title)) return refuse('invalid_argument', 'a title is one line', '/title');
  if (title.length > TASK_TITLE_CHARACTERS_MAX) {
    return refuse('invalid_argument', `a title has at most ${TASK_TITLE_CHARACTERS_MAX} characters`, '/title');
  }
  if (body.length > TASK_BODY_CHARACTERS_MAX) {
    return refuse('invalid_argument', `a body has at most ${TASK_BODY_CHARACTERS_MAX} characters`, '/body');
  }
  return null;
}
