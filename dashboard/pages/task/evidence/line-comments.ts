import { effect, type Signal, signal } from '@preact/signals';
import type { LineComment } from '../../../node/task-actions.ts';

const kept = new Map<string, Signal<readonly LineComment[]>>();

/** The comments on lines of a task's diff that were not sent yet. They outlive a reload of the tab. */
export function commentsOf(task: string): Signal<readonly LineComment[]> {
  const known = kept.get(task);
  if (known) return known;
  const key = `baton.comments.${task}`;
  const made = signal<readonly LineComment[]>(readKept(key));
  effect(() => {
    if (made.value.length === 0) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(made.value));
  });
  kept.set(task, made);
  return made;
}

export function addComment(task: string, comment: LineComment): void {
  const comments = commentsOf(task);
  const others = comments.value.filter(({ path, line }) => path !== comment.path || line !== comment.line);
  comments.value = comment.text === '' ? others : [...others, comment];
}

export function clearComments(task: string): void {
  commentsOf(task).value = [];
}

function readKept(key: string): readonly LineComment[] {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '[]') as readonly LineComment[];
  } catch {
    // Written by something else.
    return [];
  }
}
