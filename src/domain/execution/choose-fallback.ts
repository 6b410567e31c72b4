import { CREDIT, type OutOfQuota, vendorOfAccount } from '../agent/quota.ts';
import { assertNever } from '../assert-never.ts';
import { recordCode } from '../failure-code.ts';
import { QUOTA_PATIENCE_MS, RUNS_LOST_IN_A_ROW_MAX, STARTS_LOST_IN_A_ROW_MAX } from '../limits.ts';
import type { FallbackTrigger, Order } from '../order/order.ts';
import { backoffSeconds } from '../order/policy.ts';
import { MODEL_PAUSE_MS } from '../process-limits.ts';
import type { FailureCode } from '../refusal.ts';
import { causedByFailure, type OwnReason } from '../task/task-reason.ts';
import { type Attempt, type Execution, isByHand, stoppedOutcome } from './execution.ts';
import type { FailedAttempt, Outcome } from './fact.ts';
import { type AttemptVerdict, judgeAttempt } from './judge-attempt.ts';
import { dispatchRetryMs, isGivenUp, isNotStarted, isPermanent } from './judge-dispatch.ts';
import { isSessionRefused } from './vendor-session.ts';

/** The consequence of an attempt that has ended. */
export type Sequel =
  | ({
      readonly kind: 'again';
      readonly alternative: number | null;
      readonly afterMs: number;
      /** The task waits in blocked: its agent could not be started (aof:dispatch). */
      readonly isBlocked?: boolean;
      /** A person decides whether it continues. */
      readonly asks?: OrderQuestion;
      /** It waits for the quota of this account. */
      readonly quota?: { readonly account: string | null; readonly until: number };
    } & OwnReason)
  | { readonly kind: 'settle'; readonly outcome: Outcome };

/** A question about an order between two of its runs. */
export interface OrderQuestion {
  readonly kind: 'budget' | 'quota';
  readonly what: string;
  readonly why: string;
}

type Failure = Extract<AttemptVerdict, { readonly kind: 'failed' }>;

/** aop:retries, aop:alternatives: a retry, another model, or the end. */
export function chooseFallback(execution: Execution): Sequel {
  const attempt = execution.attempts.at(-1);
  if (!attempt) throw new Error('there is no attempt to follow');
  const judged = judgeAttempt(execution, attempt);
  switch (judged.kind) {
    case 'passed': {
      if (stopped(execution) && isCheckingCutShort(attempt)) return settleStop(execution);
      const { verdict, message } = judged;
      return settle({ verdict, code: null, message });
    }
    case 'blocked':
      return settle({ verdict: 'failed', code: judged.code, message: judged.message });
    case 'aborted':
      if (stopped(execution) && attempt.end?.kind === 'stopped') return settleStop(execution);
      return settle(abortedOutcome(judged));
    case 'lost':
      return afterLoss(execution, attempt);
    case 'out-of-quota':
      return afterQuota(execution, attempt, judged);
    case 'checkpoint-failed':
      return afterCheckpoint(execution, attempt, judged.message);
    case 'failed':
      return afterFailure(execution, attempt, judged);
    default:
      return assertNever(judged);
  }
}

/**
 * A lost run is no fault of its agent and starts again. Only an order whose node dies every time, without a clean stop
 * in between, is given up: it may be what ends the node (aof:reclaims). A death before the launch says less about it.
 */
function afterLoss(execution: Execution, attempt: Attempt): Sequel {
  const { attempts } = execution;
  if (stopped(execution)) return settleStop(execution);
  const lost = attempts.slice(
    1 + attempts.findLastIndex(({ end }) => end?.kind !== 'lost' || end.isCleanStop === true),
  );
  const launched = lost.filter(({ isLaunched }) => isLaunched);
  if (launched.length >= RUNS_LOST_IN_A_ROW_MAX || lost.length >= STARTS_LOST_IN_A_ROW_MAX) {
    const message = `its node died during each of its last ${lost.length} runs; the order may be the cause`;
    return settle({ verdict: 'failed', code: 'process-crashed', message });
  }
  return {
    kind: 'again',
    alternative: attempt.alternative,
    afterMs: 0,
    reason: 'its node ended while it ran',
    cause: null,
  };
}

/**
 * Out of quota: an alternative that the order names for it, else as configured. Waiting counts as no retry; beyond
 * QUOTA_PATIENCE_MS, and for a lack of credit, it would not help.
 */
function afterQuota(execution: Execution, attempt: Attempt, end: OutOfQuota): Sequel {
  if (stopped(execution)) return settleStop(execution);
  const { account, until, message, onQuota } = end;
  const code = 'model-unavailable';
  const why = causedByFailure({ code, message: `out of quota: ${message}` });
  const alternative = untriedAlternative(execution, code, onQuota === 'other');
  if (alternative !== null) return { kind: 'again', alternative, afterMs: 0, ...why };
  const isTooLong = end.scope === CREDIT || until - firstRefusal(execution) > QUOTA_PATIENCE_MS;
  if ((onQuota === 'ask' || isTooLong) && execution.order.isInWords) {
    const what = `wait for the quota of ${account === null ? attempt.agent : vendorOfAccount(account)}`;
    return asking(attempt, { kind: 'quota', what, why: message }, why);
  }
  if (onQuota === 'ask' || isTooLong)
    return settleFailure(execution, { kind: 'failed', verdict: 'failed', code, message });
  return { kind: 'again', alternative: attempt.alternative, afterMs: 0, quota: { account, until }, ...why };
}

/** The instant since which every attempt was refused for lack of quota. */
function firstRefusal({ attempts }: Execution): number {
  const served = attempts.findLastIndex(({ end }) => end?.kind !== 'out-of-quota' && end?.kind !== 'lost');
  return attempts.slice(served + 1).find(({ ended }) => ended?.end.kind === 'out-of-quota')?.ended?.at ?? 0;
}

/** RETRY relaunches within max_retries, but at least once, and without a wait: the prompt says what failed. */
function afterCheckpoint(execution: Execution, attempt: Attempt, message: string): Sequel {
  if (stopped(execution)) return settleStop(execution);
  if (retriesUsed(execution) < Math.max(1, retriesMax(execution.order))) {
    return { kind: 'again', alternative: attempt.alternative, afterMs: 0, reason: message, cause: null };
  }
  return afterFailure(execution, attempt, { kind: 'failed', verdict: 'failed', code: 'unknown', message });
}

function afterFailure(execution: Execution, attempt: Attempt, failure: Failure): Sequel {
  if (stopped(execution)) return settleStop(execution);
  if (isSessionRefused(attempt)) return afresh(attempt, failure.message);
  const { order } = execution;
  const { code, message } = failure;
  const why = causedByFailure({ code, message });
  const waitMs = dispatchRetryMs(execution, code);
  if (waitMs !== null) {
    const later = { code, message: `${message}; Baton tries again in ${waitMs / 1_000} s` };
    const because = causedByFailure(later);
    return { kind: 'again', alternative: attempt.alternative, afterMs: waitMs, isBlocked: true, ...because };
  }
  const hasRetries = mayRetry(execution, attempt) && retriesUsed(execution) < retriesMax(order);
  const alternative = untriedAlternative(execution, code, !hasRetries);
  if (alternative !== null) {
    return { kind: 'again', alternative, afterMs: 0, ...why };
  }
  if (hasRetries) {
    const afterMs = Math.max(backoffMs(execution), modelPauseMs(order, code));
    return { kind: 'again', alternative: null, afterMs, ...why };
  }
  const cap = passedCap(order, attempt, code);
  if (cap !== null) return asking(attempt, { kind: 'budget', what: `spend more than ${cap}`, why: message }, why);
  return settleFailure(execution, failure);
}

/** The cap on money that a person may lift; null if the run failed for another reason, or nobody ordered it in words. */
function passedCap({ isInWords, budget }: Order, { end }: Attempt, code: FailureCode): string | null {
  if (code !== 'budget-exceeded' || !isInWords) return null;
  if (end?.kind === 'failed' && end.cap === 'day') return 'the cap on the money of the day';
  return budget.costUsdMax === null ? null : 'its cap on money';
}

function backoffMs(execution: Execution): number {
  return backoffSeconds(execution.order.policy, retriesUsed(execution) + 1) * 1_000;
}

/** Words are retried at once, but a model that did not answer gets a moment. */
function modelPauseMs({ isInWords }: Order, code: FailureCode): number {
  return isInWords && code === 'model-unavailable' ? MODEL_PAUSE_MS : 0;
}

/** The files keep their last state until a person has answered. */
function asking({ alternative }: Attempt, asks: OrderQuestion, why: OwnReason): Sequel {
  return { kind: 'again', alternative, afterMs: 0, isBlocked: true, asks, ...why };
}

/** The vendor lost the session, which is no fault of the work: the same attempt, with the whole prompt. */
function afresh({ alternative, resumed }: Attempt, message: string): Sequel {
  const reason = `the vendor did not take up session ${resumed} again, so the agent starts afresh: ${message}`;
  return { kind: 'again', alternative, afterMs: 0, reason, cause: null };
}

/** Only the target is retried, and only before an alternative has run. One without an agent does not count. */
function mayRetry(execution: Execution, attempt: Attempt): boolean {
  const { order, attempts } = execution;
  const isWithoutAgent = attempt.runId === null && attempt.alternative !== null;
  const run = isWithoutAgent ? attempts.findLast(({ runId, end }) => runId !== null && end?.kind !== 'lost') : attempt;
  if (!run || run.alternative !== null || run.runId === null) return false;
  const verdict = judgeAttempt(execution, run);
  const code = verdict.kind === 'failed' ? verdict.code : 'unknown';
  // A program that is not there will not be there for a retry either.
  return !(isNotStarted(run) && isPermanent(code)) && isWorthRetrying(order, code);
}

/**
 * Never retries an exceeded budget; of words neither a timeout nor a refused login; a critical error only if the policy
 * allows it.
 */
function isWorthRetrying({ policy, isInWords }: Order, code: FailureCode): boolean {
  if (code === 'budget-exceeded') return false;
  if (isInWords && (code === 'timeout' || code === 'permission-denied')) return false;
  return !(policy.abortOnFirstCriticalError && TRIGGERED_BY['critical-error'].includes(code));
}

const TRIGGERED_BY: Readonly<Record<'timeout' | 'critical-error' | 'cost-limit-exceeded', readonly FailureCode[]>> = {
  timeout: ['timeout', 'heartbeat-missed'],
  'critical-error': ['process-crashed', 'model-unavailable', 'agent-not-found', 'permission-denied'],
  'cost-limit-exceeded': ['budget-exceeded'],
};

/** Whether this failure triggers an alternative. */
export function isTriggered(trigger: FallbackTrigger, code: FailureCode, areRetriesUsed: boolean): boolean {
  if (trigger === 'first-error') return true;
  if (trigger === 'all-errors') return areRetriesUsed;
  return TRIGGERED_BY[trigger].includes(code);
}

/** The next alternative that this failure triggers; each is used once. */
function untriedAlternative(execution: Execution, code: FailureCode, areRetriesUsed: boolean): number | null {
  const tried = new Set(execution.attempts.map(({ alternative }) => alternative));
  const at = execution.order.alternatives.findIndex(
    ({ trigger }, place) => !tried.has(place) && isTriggered(trigger, code, areRetriesUsed),
  );
  return at === -1 ? null : at;
}

/** The alternative that the order names for an agent whose account is held for lack of quota. */
export function alternativeWhileHeld(execution: Execution): number | null {
  return untriedAlternative(execution, 'model-unavailable', false);
}

/** on_failure RETRY adds one run. */
export function retriesMax({ policy }: Order): number {
  return policy.retriesMax + (policy.onFailure === 'retry' ? 1 : 0);
}

/**
 * Attempts after the first, without each alternative's first, lost ones, starts that the dispatcher repeats, and sessions that
 * the vendor did not take up again.
 */
export function retriesUsed(execution: Execution): number {
  const isRepeated = (attempt: Attempt) => isByHand(execution) && isNotStarted(attempt);
  const isCounted = ({ end }: Attempt) => end?.kind !== 'lost' && end?.kind !== 'out-of-quota';
  const counted = execution.attempts.filter(
    (attempt) => isCounted(attempt) && !isRepeated(attempt) && !isSessionRefused(attempt),
  );
  const others = new Set(counted.flatMap(({ alternative }) => alternative ?? []));
  return Math.max(0, counted.length - 1 - others.size);
}

function settleFailure(execution: Execution, failure: Failure): Sequel {
  const { verdict, code, message } = failure;
  const givenUp = isGivenUp(execution, code) && { isGivenUp: true };
  const hasFallenBack = execution.attempts.some(({ alternative }) => alternative !== null);
  if (!hasFallenBack) return settle({ verdict, code, message, ...givenUp });
  const attempts = failedAttempts(execution);
  const last = `every model failed, the last with ${recordCode(code)}: ${message}`;
  return settle({ verdict: 'failed', code: 'all-models-failed', message: last, attempts, ...givenUp });
}

function failedAttempts(execution: Execution): FailedAttempt[] {
  const { order, attempts } = execution;
  return attempts.flatMap((attempt) => {
    if (isSessionRefused(attempt)) return [];
    const verdict = judgeAttempt(execution, attempt);
    const { provider, model } = attempt.alternative === null ? order.target : named(order, attempt.alternative);
    const about = { agent: attempt.agent, provider, model };
    if (verdict.kind === 'failed') return [{ ...about, code: verdict.code, message: verdict.message }];
    if (verdict.kind === 'checkpoint-failed') return [{ ...about, code: 'unknown', message: verdict.message }];
    return [];
  });
}

function named({ alternatives }: Order, place: number): { readonly provider: string; readonly model: string } {
  const alternative = alternatives[place];
  if (!alternative) throw new Error(`there is no alternative ${place}`);
  return alternative;
}

function stopped({ stopRequestedBy }: Execution): boolean {
  return stopRequestedBy !== null;
}

/** A stop ends checks that run, and those that follow cannot run. */
function isCheckingCutShort({ verified }: Attempt): boolean {
  return verified?.results.some(({ result }) => result === 'could-not-run') ?? false;
}

function abortedOutcome({ code, message, stoppedBy }: Extract<AttemptVerdict, { readonly kind: 'aborted' }>) {
  return { verdict: 'aborted', code, message, ...(stoppedBy !== undefined && { stoppedBy }) } as const;
}

function settleStop(execution: Execution): Sequel {
  return settle(stoppedOutcome(execution));
}

function settle(outcome: Pick<Outcome, 'verdict' | 'code' | 'message'> & Partial<Outcome>): Sequel {
  return { kind: 'settle', outcome: { attempts: [], ...outcome } };
}
