import { RECLAIMS_WITHOUT_REPORT_MAX } from '../limits.ts';
import { type CompletionOutcome, resolveCompletionTransitions } from './resolve-completion.ts';
import type { RunResult } from './run.ts';
import { isReviewRequired, type Task } from './task.ts';
import { legalMoves, type TaskStatus } from './task-lifecycle.ts';
import { causedBy, type OwnReason, type RunEnd } from './task-reason.ts';

export type Recovery =
  /** The reported outcome counts. */
  | ({ readonly kind: 'apply'; readonly moves: readonly TaskStatus[] } & OwnReason)
  /** The run reported nothing: the task is queued again. */
  | ({ readonly kind: 'reclaim' } & OwnReason)
  /** Too many runs in a row reported nothing (aof:reclaims). */
  | ({ readonly kind: 'give-up' } & OwnReason)
  /** The task was moved meanwhile. */
  | { readonly kind: 'nothing' };

/** The report of the run. */
export interface RunReport {
  readonly result: RunResult;
  /** Whether the task has moved since; by the order of the log, since wall clocks jump. */
  readonly isBeforeLastMove: boolean;
  /** An agent outside of Baton made it: a person looks at its work, whatever the task says (runtime:untrusted). */
  readonly isExternal?: boolean;
}

/** AOF/1, Resume Protocol: the outcome is read first, and only without one is the task requeued. */
export function recoverRun(task: Task, report: RunReport | null, end: RunEnd): Recovery {
  if (report !== null) return applyResult(task, report, end);
  if (task.status !== 'in-progress') return { kind: 'nothing' };
  if (task.reclaims + 1 >= RECLAIMS_WITHOUT_REPORT_MAX) {
    const reason = `${task.reclaims + 1} runs ended without any report, the last by ${end}`;
    return { kind: 'give-up', reason, cause: null };
  }
  return { kind: 'reclaim', ...causedBy({ kind: 'run-ended', end, outcome: null }) };
}

function applyResult(task: Task, { result, isBeforeLastMove, isExternal = false }: RunReport, end: RunEnd): Recovery {
  // aof:session-end: a block that is newer than the report stays; an older one does not.
  const isBlockedSince = task.status === 'blocked' && isBeforeLastMove;
  if ((task.status !== 'in-progress' && task.status !== 'blocked') || isBlockedSince) return { kind: 'nothing' };
  const moves = legalMoves(
    task.status,
    resolveCompletionTransitions(task.status, result.outcome, isExternal || isReviewed(task)),
  );
  if (moves.length === 0) return { kind: 'nothing' };
  return { kind: 'apply', moves, ...reasonOf(result, end) };
}

/** An agent's own `done` ends a task that nobody reviews; where Baton was ordered, only its checks do (aof:self-approval). */
function isReviewed(task: Task): boolean {
  return isReviewRequired(task) || task.sessionId !== null;
}

function reasonOf(result: RunResult, end: RunEnd): OwnReason {
  const plain = causedBy({ kind: 'run-ended', end, outcome: result.outcome });
  if (end !== 'session_end') return plain;
  const said: Record<CompletionOutcome, string> = {
    done: result.notes,
    blocked: result.blockers.join('; ') || result.notes,
    needs_review: result.notes,
    partial: result.notes,
  };
  const reason = said[result.outcome];
  return reason === '' ? plain : { reason, cause: null };
}
