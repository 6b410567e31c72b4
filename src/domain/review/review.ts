import { REVIEW_COMMENTS_MAX, TASK_REASON_CHARACTERS_MAX, WORDS_CHARACTERS_MAX } from '../limits.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { Finding } from './feedback.ts';
import { decisionsForm } from './fix-words.ts';

/** A reviewer's comment on work, as a whole or on a line of it. */
export interface ReviewComment {
  readonly text: string;
  /** A file of the work; absent for a comment on all of it. */
  readonly path?: string;
  /** In the file as the work left it, from 1. */
  readonly line?: number;
}

/** A comment of a return as a finding of its person, with the id that it keeps in every later round (AFP §4.1.3). */
export interface ReturnedItem {
  readonly id: string;
  /** The file and line, or `the work`. */
  readonly aspect: string;
  readonly text: string;
}

/** Refuses a message that is too long for an event; null for any other. */
export function refuseApproval(message: string | null): Refusal | null {
  if (message === null || message.length <= TASK_REASON_CHARACTERS_MAX) return null;
  return refuse('invalid_argument', `a message has at most ${TASK_REASON_CHARACTERS_MAX} characters`, '/message');
}

/** Refuses a return that says nothing or too much; null for any other. */
export function refuseComments(task: string, comments: readonly ReviewComment[]): Refusal | null {
  const hint = `baton review return ${task} -m "what is to be changed"`;
  if (comments.length === 0)
    return { ...refuse('invalid_argument', 'a return needs a message or comments', '/message'), hint };
  if (comments.length > REVIEW_COMMENTS_MAX)
    return { ...refuse('invalid_argument', `a return has at most ${REVIEW_COMMENTS_MAX} comments`, '/comments'), hint };
  if (comments.some(({ text }) => text.trim() === ''))
    return { ...refuse('invalid_argument', 'a comment is empty', '/comments'), hint };
  if (comments.some(({ text, path = '' }) => text.includes('\0') || path.includes('\0')))
    return { ...refuse('invalid_argument', 'a comment must not contain a NUL character', '/comments'), hint };
  const characters = comments.reduce((sum, { text, path = '' }) => sum + text.length + path.length, 0);
  if (characters <= WORDS_CHARACTERS_MAX) return null;
  const message = `the comments have ${characters} characters, at most ${WORDS_CHARACTERS_MAX} are passed on`;
  return { ...refuse('invalid_argument', message, '/comments'), hint: 'put them into a file and name it' };
}

/** The comments as items; `number` makes their ids unlike those of any other return. */
export function returnedItems(comments: readonly ReviewComment[], number: number): readonly ReturnedItem[] {
  return comments.map(({ text, path, line }, at) => ({
    id: `return-${number}-${String(at + 1).padStart(2, '0')}`,
    aspect: path === undefined ? 'the work' : line === undefined ? path : `${path}:${line}`,
    text: text.trim(),
  }));
}

/** A point of a person, as a finding: it is the description and the advice in one. */
export function findingOfItem({ id, aspect, text }: ReturnedItem): Finding {
  return { id, aspect, description: text, recommendation: text };
}

export function itemOfFinding({ id, aspect, description }: Finding): ReturnedItem {
  return { id, aspect, text: description };
}

/** The words for the agent whose work comes back. The form of its decisions has the ids in the order of the points. */
export function returnWords(items: readonly ReturnedItem[]): string {
  const lines = items.map(({ aspect, text }, at) => {
    const place = aspect === 'the work' ? '' : `${aspect}: `;
    return `${at + 1}. ${place}${text.replaceAll('\n', '\n   ')}`;
  });
  return [RETURNED, '', ...lines, '', decisionsForm(items.map(({ id }) => id))].join('\n');
}

const RETURNED = 'Your work was reviewed and comes back to you. Deal with each of these points, then finish the task:';
