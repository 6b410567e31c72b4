import type { OutOfQuota } from '../agent/quota.ts';
import { assertNever } from '../assert-never.ts';
import type { ExecutionPolicy } from '../order/policy.ts';
import type { FailureCode } from '../refusal.ts';
import type { AttemptEnd } from './fact.ts';
import type { Claim } from './findings.ts';

/** How the agent's process ended. */
export type ProcessExit =
  | { readonly kind: 'exited'; readonly exitCode: number | null; readonly signal: string | null }
  /**
   * `isMissing`: the program does not exist or must not be executed. `isDenied`: it lacks a right or a login. Another attempt would
   * find the same.
   */
  | {
      readonly kind: 'not-started';
      readonly reason: string;
      readonly isMissing?: boolean;
      readonly isDenied?: boolean;
    };

/** The agent's last report of its work. */
export type FinalAnswer =
  | { readonly kind: 'claim'; readonly claim: Claim }
  /** A malformed claim: broken, cut off, or about another task. */
  | { readonly kind: 'malformed'; readonly message: string; readonly isTooLarge?: boolean }
  | { readonly kind: 'none' };

/** The reason why the run ended, other than the process by itself. */
export type EndCause =
  | { readonly kind: 'timeout'; readonly seconds: number }
  | { readonly kind: 'silence'; readonly seconds: number }
  | { readonly kind: 'budget'; readonly message: string; readonly cap?: 'day' }
  /** The agent reported that it cannot continue, or its model did not answer. */
  | { readonly kind: 'failure'; readonly code: FailureCode; readonly message: string }
  /** Its vendor refuses more work for now. */
  | { readonly kind: 'quota'; readonly end: OutOfQuota }
  | { readonly kind: 'stop'; readonly by: string }
  /** Its node shuts down. */
  | { readonly kind: 'loss' };

export interface ExitFacts {
  readonly exit: ProcessExit;
  readonly answer: FinalAnswer;
  /** Null if it ended by itself. */
  readonly cause: EndCause | null;
  /** The line of its output that says what is wrong; null or absent if there is none. */
  readonly complaint?: string | null;
  readonly rails: Pick<ExecutionPolicy, 'requireResult' | 'requireMinimalReport'>;
}

/** aop:process-exit: judges the end of an agent's process, before its work is checked. */
export function judgeExit(facts: ExitFacts): AttemptEnd {
  const { exit, answer, cause } = facts;
  if (cause !== null) return endedBy(cause, claimOf(answer));
  // A missing program counts as a missing agent; one that exists and fails to start has crashed.
  if (exit.kind === 'not-started') {
    const isDenied = exit.isDenied === true && 'permission-denied';
    const code = exit.isMissing ? 'agent-not-found' : isDenied || 'process-crashed';
    return { kind: 'failed', code, message: `it did not start: ${exit.reason}`, claim: null, isNotStarted: true };
  }
  if (answer.kind === 'malformed') {
    // AOP §4: the hard limit of a RESPONSE has a code of its own.
    return failed(answer.isTooLarge ? 'message-too-large' : 'malformed-answer', answer.message, null);
  }
  const crash = crashOf(exit);
  if (crash !== null) return afterCrash(crash, claimOf(answer), facts.complaint ?? null);
  if (answer.kind === 'none') return { kind: 'finished', claim: null };
  const broken = brokenRail(answer.claim, facts.rails);
  if (broken !== null) return failed('malformed-answer', broken, answer.claim);
  return { kind: 'finished', claim: answer.claim };
}

function endedBy(cause: EndCause, claim: Claim | null): AttemptEnd {
  switch (cause.kind) {
    case 'stop':
      return { kind: 'stopped', by: cause.by };
    case 'loss':
      return { kind: 'lost', isCleanStop: true };
    case 'timeout':
      return failed('timeout', `it did not end within ${cause.seconds} s`, claim);
    case 'silence':
      return failed('heartbeat-missed', `no output or heartbeat for ${cause.seconds} s`, claim);
    case 'failure':
      return failed(cause.code, cause.message, claim);
    case 'quota':
      return cause.end;
    case 'budget':
      return { ...failed('budget-exceeded', cause.message, claim), ...(cause.cap && { cap: cause.cap }) };
    default:
      return assertNever(cause);
  }
}

function crashOf({ exitCode, signal }: Extract<ProcessExit, { readonly kind: 'exited' }>): string | null {
  if (exitCode === 0) return null;
  return exitCode === null ? `it was ended by ${signal ?? 'a signal'}` : `it ended with exit code ${exitCode}`;
}

/** A claim of success does not outweigh a failed exit; a claim of failure gives its cause. */
function afterCrash(crash: string, claim: Claim | null, complaint: string | null): AttemptEnd {
  if (claim === null) {
    const why = complaint === null ? '' : `; it printed: ${complaint}`;
    return failed('process-crashed', `${crash} and gave no answer${why}`, null);
  }
  const isOwnFailure = claim.result === 'failed' || claim.result === 'aborted';
  if (isOwnFailure) return failed(claim.code ?? 'process-crashed', claim.message || crash, claim);
  return failed('process-crashed', `${crash}, although it says ${claim.result ?? 'that it is done'}`, claim);
}

/** AOP §5, guard rails. */
function brokenRail(
  { result, summary, actions }: Claim,
  { requireResult, requireMinimalReport }: ExitFacts['rails'],
): string | null {
  if (requireResult && result === null) return 'its answer does not say whether the work is done';
  if (requireMinimalReport && !summary?.trim()) return 'its answer has no summary';
  if (requireMinimalReport && !actions?.length) return 'its answer has no actions';
  return null;
}

function claimOf(answer: FinalAnswer): Claim | null {
  return answer.kind === 'claim' ? answer.claim : null;
}

function failed(code: FailureCode, message: string, claim: Claim | null): AttemptEnd {
  return { kind: 'failed', code, message, claim };
}
