import { DISPATCH_RETRIES_MAX, DISPATCH_RETRY_FACTOR, DISPATCH_RETRY_MS, DISPATCH_RETRY_MS_MAX } from '../limits.ts';
import type { FailureCode } from '../refusal.ts';
import { type Attempt, type Execution, isByHand } from './execution.ts';
import type { Fact, Outcome } from './fact.ts';

/** aof:dispatch: a later attempt would meet the same obstacle: the program is not there, or may not be started. */
export function isPermanent(code: FailureCode): boolean {
  return code === 'agent-not-found' || code === 'permission-denied';
}

/** Whether Baton could not start the agent of an attempt. */
export function isNotStarted({ end }: Pick<Attempt, 'end'>): boolean {
  return end?.kind === 'failed' && end.isNotStarted === true;
}

/**
 * The wait before the dispatcher starts a task again whose agent could not be started; null if it does not. Only a task
 * that was made by hand: an order that somebody sent has retries of its own (aop:retries).
 */
export function dispatchRetryMs(execution: Execution, code: FailureCode): number | null {
  const failures = failedStarts(execution);
  if (!isByHand(execution) || isPermanent(code) || failures === 0 || failures > DISPATCH_RETRIES_MAX) return null;
  return Math.min(DISPATCH_RETRY_MS * DISPATCH_RETRY_FACTOR ** (failures - 1), DISPATCH_RETRY_MS_MAX);
}

/** Whether the dispatch is given up: no agent ever started, and the obstacle stays or was met too often. */
export function isGivenUp(execution: Execution, code: FailureCode): boolean {
  const attempts = execution.attempts.filter(({ end }) => end?.kind !== 'lost');
  if (attempts.length === 0 || !attempts.every(isNotStarted)) return false;
  return isPermanent(code) || failedStarts(execution) > DISPATCH_RETRIES_MAX;
}

/** Attempts in a row, up to the last, whose agent could not be started. Runs that were lost with their node do not count. */
function failedStarts({ attempts }: Pick<Execution, 'attempts'>): number {
  const counted = attempts.filter(({ end }) => end?.kind !== 'lost');
  return counted.length - 1 - counted.findLastIndex((attempt) => !isNotStarted(attempt));
}

export interface RefusedStart {
  readonly code: FailureCode;
  readonly message: string;
}

/** The outcome of an order that is refused before an agent started. */
export function refusedOutcome({ code, message }: RefusedStart): Outcome {
  return failure({ code, message }, isPermanent(code));
}

/**
 * A step that cannot be done, after several tries: a failed start that the dispatcher repeats later, or the end of the
 * order. `isLasting`: a later try would meet the same fault.
 */
export function failedBefore(
  execution: Execution,
  message: string,
  isLasting: boolean,
): Extract<Fact, { readonly kind: 'unanswered' }> | Outcome {
  const { next, admitted, attempts } = execution;
  const isBefore = next !== null && admitted !== null;
  if (isBefore && !isLasting && isByHand(execution)) {
    return { kind: 'unanswered', alternative: next.alternative, code: 'unknown', message };
  }
  return failure({ code: 'unknown', message }, isBefore && attempts.length === 0);
}

function failure({ code, message }: RefusedStart, isGivenUp: boolean): Outcome {
  return { verdict: 'failed', code, message, attempts: [], ...(isGivenUp && { isGivenUp }) };
}
