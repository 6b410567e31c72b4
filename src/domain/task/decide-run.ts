import { type Refusal, refuse, refuseTask } from '../refusal.ts';
import { isTakenBack } from '../work/work-state.ts';
import type { Task } from './task.ts';
import { isWaiting } from './task-lifecycle.ts';

/** A task that an operator wants to run. */
export interface RunnableTask extends Pick<Task, 'id' | 'status' | 'work'> {
  /** It was given to an agent before. */
  readonly isOrdered: boolean;
  /** Its run has no node any more. */
  readonly isInterrupted: boolean;
}

/** How a task is run. */
export type RunDecision =
  /** Its first round begins. */
  | { readonly kind: 'first' }
  /** The round that waits, or was interrupted, continues. */
  | { readonly kind: 'resume' }
  | RetryDecision
  | Refusal;

export type RetryDecision =
  /** Another round of the same order begins. */
  | { readonly kind: 'again' }
  /** It is done, which is final: a new task continues it (aof:continue). */
  | { readonly kind: 'follow-up' };

/** The way in which a task is run now, or why it is not. */
export function decideRun(task: RunnableTask): RunDecision {
  const { id, status, isOrdered, isInterrupted } = task;
  const isHeld = status === 'in-progress' && !isInterrupted;
  if (isHeld) {
    return { ...refuse('already_claimed', `${id} is already running`), hint: `baton logs ${id} -f shows its output` };
  }
  if (isInterrupted || (isOrdered && status === 'ready')) return { kind: 'resume' };
  if (!isOrdered && (isWaiting(status) || isGivenBack(status))) return { kind: 'first' };
  if (status === 'backlog') return { kind: 'again' };
  const retry = retryOf(task);
  return retry ?? refuseRun(task);
}

/** Whether a task can be tried again, and how: one that is blocked or given up, or whose work was taken back. */
export function decideRetry(task: Pick<Task, 'id' | 'status' | 'work'>): RetryDecision | Refusal {
  return retryOf(task) ?? refuseRetry(task);
}

function retryOf({ status, work }: Pick<Task, 'status' | 'work'>): RetryDecision | null {
  if (isGivenBack(status) || (status === 'review' && isTakenBack(work))) return { kind: 'again' };
  return status === 'done' && isTakenBack(work) ? { kind: 'follow-up' } : null;
}

/** It could not continue, and waits for a person. */
function isGivenBack(status: Task['status']): boolean {
  return status === 'blocked' || status === 'deadletter';
}

function refuseRun({ id, status }: Pick<Task, 'id' | 'status'>): Refusal {
  const refusal = refuseTask('invalid_transition', `${id} is already ${status}; there is nothing to run`, id);
  const goOn = `baton continue ${id} "what to do" continues it in a new task`;
  const back = `baton undo ${id} takes its work back, then it can run again`;
  if (status === 'review') return { ...refusal, hint: `baton review approve ${id} accepts its work, ${back}` };
  return { ...refusal, hint: status === 'done' ? `${goOn}; ${back}` : goOn };
}

function refuseRetry({ id, status }: Pick<Task, 'id' | 'status'>): Refusal {
  const message = `${id} is ${status}; only a blocked or deadletter task, or one whose work was undone, can be retried`;
  const refusal = refuseTask('invalid_transition', message, id);
  if (status !== 'review' && status !== 'done') return refusal;
  const hint = `take its work back first: baton undo ${id}; or continue from it: baton continue ${id} "what to do"`;
  return { ...refusal, hint };
}
