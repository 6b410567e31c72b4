import { assertNever } from '../assert-never.ts';
import type { TaskStatus } from './task-lifecycle.ts';

/** AOF/1, Completion Outcomes. */
export const COMPLETION_OUTCOMES = ['done', 'blocked', 'needs_review', 'partial'] as const;

export type CompletionOutcome = (typeof COMPLETION_OUTCOMES)[number];

/**
 * AOF/1, Transition Logic: the statuses a task passes through, in order, once its run reported an outcome.
 * The caller skips a status that the task already has.
 */
export function resolveCompletionTransitions(
  status: TaskStatus,
  outcome: CompletionOutcome,
  reviewRequired: boolean,
): TaskStatus[] {
  switch (outcome) {
    case 'done':
      if (status === 'done') return [];
      return reviewRequired ? ['review'] : ['review', 'done'];
    case 'blocked':
      return ['blocked'];
    case 'needs_review':
    case 'partial':
      return ['review'];
    default:
      return assertNever(outcome);
  }
}
