import type { OutOfQuota } from '../agent/quota.ts';
import { assertNever } from '../assert-never.ts';
import type { Order } from '../order/order.ts';
import type { FailureCode } from '../refusal.ts';
import type { RunResult } from '../task/run.ts';
import { findIgnoredTools } from '../work/find-ignored-tools.ts';
import { pairCheckpoints } from '../work/pair-checkpoints.ts';
import type { CheckResult } from './check-result.ts';
import type { Attempt, Execution } from './execution.ts';
import { judgesText } from './findings.ts';

/** The verdict on an attempt that has ended, by Baton's own findings. */
export type AttemptVerdict =
  | {
      readonly kind: 'passed';
      readonly verdict: 'checked' | 'unchecked' | 'partial';
      readonly message: string;
    }
  /** Another attempt is possible if the order allows it. */
  | {
      readonly kind: 'failed';
      readonly verdict: 'failed' | 'aborted';
      readonly code: FailureCode;
      readonly message: string;
    }
  /** A checkpoint asks for another attempt. */
  | { readonly kind: 'checkpoint-failed'; readonly checkpoint: string; readonly message: string }
  /** The agent reported that it cannot continue: another attempt would meet the same obstacle. */
  | { readonly kind: 'blocked'; readonly code: FailureCode; readonly message: string }
  /** No further attempt. */
  | {
      readonly kind: 'aborted';
      readonly code: FailureCode | null;
      readonly message: string;
      readonly stoppedBy?: string;
    }
  /** No work was refused, only postponed: it counts as no attempt. */
  | OutOfQuota
  | { readonly kind: 'lost' };

/** An order and its checks before the work. */
type JudgedOrder = Pick<Execution, 'order' | 'snapshotted'>;

/** Baton's own findings, and the agent's completion report where it is more modest (aof:agent-report). */
export function judgeAttempt(judged: JudgedOrder, attempt: Attempt): AttemptVerdict {
  const found = findVerdict(judged, attempt);
  const report = attempt.ended?.report ?? null;
  return report === null || isGuardRail(found) ? found : withReport(found, report);
}

/** An operator's stop and the bounds of the order hold, whatever the agent reports. */
function isGuardRail(found: AttemptVerdict): boolean {
  return (
    found.kind === 'aborted' ||
    found.kind === 'out-of-quota' ||
    (found.kind === 'failed' && GUARD_RAILS.includes(found.code))
  );
}

const GUARD_RAILS: readonly FailureCode[] = [
  'permission-denied',
  'malformed-answer',
  'message-too-large',
  'budget-exceeded',
];

/** A report of `done` proves nothing: Baton's findings stand. Every other outcome decides what follows. */
function withReport(found: AttemptVerdict, { outcome, blockers, notes }: RunResult): AttemptVerdict {
  switch (outcome) {
    case 'done':
      return found;
    case 'blocked':
      return { kind: 'blocked', code: 'unknown', message: said('is blocked', blockers.join('; ') || notes) };
    case 'needs_review':
      return forReview(found, said('needs a review', notes));
    case 'partial':
      return forReview(found, said('did a part of the work', notes));
    default:
      return assertNever(outcome);
  }
}

function said(what: string, why: string): string {
  return `the agent reported that it ${what}${why === '' ? '' : `: ${why}`}`;
}

function forReview(found: AttemptVerdict, message: string): AttemptVerdict {
  const isUnchecked = found.kind === 'passed' && found.verdict === 'unchecked';
  const beside = 'message' in found && found.kind !== 'passed' ? `; Baton found: ${found.message}` : '';
  return { kind: 'passed', verdict: isUnchecked ? 'unchecked' : 'partial', message: `${message}${beside}` };
}

function findVerdict(judged: JudgedOrder, attempt: Attempt): AttemptVerdict {
  const { end } = attempt;
  if (end === null) throw new Error('an attempt is judged once it is over');
  switch (end.kind) {
    case 'lost':
      return { kind: 'lost' };
    case 'stopped':
      return { kind: 'aborted', code: null, message: `stopped by ${end.by}`, stoppedBy: end.by };
    case 'out-of-quota':
      return end;
    case 'failed':
      return { kind: 'failed', verdict: 'failed', code: end.code, message: end.message };
    case 'finished':
      return judgeWork(judged, attempt);
    default:
      return assertNever(end);
  }
}

/** aop:verdict: Baton's findings decide; the agent's claim can only make the verdict worse. */
function judgeWork(judged: JudgedOrder, attempt: Attempt): AttemptVerdict {
  const { order } = judged;
  const results = attempt.verified?.results ?? [];
  const violation = attempt.collected?.violations[0];
  const checkpoint = firstFailedCheckpoint(order, results);
  const own = claimedFailure(attempt);
  // The cause of the failure outranks missing outputs, and decides which agent may try next.
  if (own !== null && own.code !== 'unknown' && violation === undefined) return own;
  if (checkpoint?.onFailure === 'abort') {
    return { kind: 'aborted', code: 'unknown', message: checkpoint.message };
  }
  if (violation !== undefined) {
    const message = `it wrote ${violation}, which was not granted`;
    return { kind: 'failed', verdict: 'failed', code: 'permission-denied', message };
  }
  if (attempt.collected?.gitChanges?.some(({ kind }) => kind === 'repository')) {
    const message = 'it destroyed the repository: git cannot read .git any more';
    return { kind: 'failed', verdict: 'failed', code: 'permission-denied', message };
  }
  if (checkpoint?.onFailure === 'retry') {
    return { kind: 'checkpoint-failed', checkpoint: checkpoint.id, message: checkpoint.message };
  }
  const failed = results.find(
    (check) => check.kind !== 'checkpoint' && isBad(check.result) && !couldNotRun(check, judged, attempt),
  );
  if (failed) return { kind: 'failed', verdict: 'failed', code: 'unknown', message: failed.message };
  return own ?? judgePassed(judged, attempt, results);
}

/** The agent itself claims that it failed or gave up. */
function claimedFailure({ end }: Attempt): Extract<AttemptVerdict, { readonly kind: 'failed' }> | null {
  const claim = end?.kind === 'finished' ? end.claim : null;
  if (claim?.result !== 'failed' && claim?.result !== 'aborted') return null;
  return { kind: 'failed', verdict: claim.result, code: claim.code ?? 'unknown', message: claim.message };
}

function judgePassed(judged: JudgedOrder, attempt: Attempt, results: readonly CheckResult[]): AttemptVerdict {
  const missed = results.find(({ kind, result }) => kind === 'checkpoint' && isBad(result));
  const unchecked = whyUnchecked(judged, attempt, results);
  const partial = missed ? sentence(missed) : (unchecked ?? whyPartial(attempt));
  if (partial === null) return { kind: 'passed', verdict: 'checked', message: 'every check passed' };
  return { kind: 'passed', verdict: unchecked === null ? 'partial' : 'unchecked', message: partial };
}

function whyPartial({ end }: Attempt): string | null {
  const claimed = end?.kind === 'finished' ? (end.claim?.result ?? null) : null;
  return claimed === 'partial' ? 'the agent says that its work is not complete' : null;
}

/** Checks that passed prove nothing if nothing changed, or if they pass only because the work changed them. */
function whyUnchecked(judged: JudgedOrder, attempt: Attempt, results: readonly CheckResult[]): string | null {
  if (results.every(({ result }) => result === 'not-checkable')) return 'no checks were defined';
  const unrun = results.find((check) => couldNotRun(check, judged, attempt));
  if (unrun) return `a check could not run: ${unrun.message}`;
  return whyUnchanged(judged, attempt.collected) ?? whyOldTests(attempt.verified) ?? whyTools(attempt);
}

/**
 * aop:words: a check that could not be started, or could not run before the work either, says nothing about the work.
 * One that ran before and is now killed, hangs or lacks a program was broken by the work.
 */
function couldNotRun({ id, kind, result }: CheckResult, { snapshotted }: JudgedOrder, { verified }: Attempt): boolean {
  if (kind !== 'check' || result !== 'could-not-run') return false;
  const before = snapshotted?.checks.find((check) => check.kind === kind && check.id === id);
  if (before === undefined || before.result === 'could-not-run') return true;
  const made = verified?.made.find((check) => check.kind === kind && check.command === id);
  return made !== undefined && made.argv !== null && made.exitCode === null && made.signal === null;
}

/** An agent may have changed files that git ignores: of those only the names are known. */
function whyUnchanged({ order, snapshotted }: JudgedOrder, collected: Attempt['collected']): string | null {
  const before = snapshotted?.checks ?? [];
  const isRecorded = (collected?.commit ?? null) !== null;
  const isNested = collected?.ignoredChanges?.some(({ repository }) => repository !== undefined) ?? false;
  if (collected?.changed.length !== 0 || isNested || before.length === 0) return null;
  const hadFailure = before.some(({ result }) => isBad(result));
  if (!isRecorded) {
    const isProven = hadFailure || !order.isInWords;
    return isProven
      ? null
      : 'every check passed before, and without git nobody knows what changed, so nothing was proven';
  }
  if (hadFailure) {
    return 'a check that failed before passes now, but no file that git records was changed';
  }
  return order.isInWords ? 'no file was changed and every check passed before, so nothing was proven' : null;
}

const TOOLS_SHOWN_MAX = 5;

function whyTools({ collected, verified }: Attempt): string | null {
  const tools = findIgnoredTools(verified?.made ?? [], collected?.ignoredChanges ?? []);
  const more = tools.length > TOOLS_SHOWN_MAX ? ` and ${tools.length - TOOLS_SHOWN_MAX} more` : '';
  const shown = tools.slice(0, TOOLS_SHOWN_MAX).join(', ');
  return tools.length === 0 ? null : `it changed files that the checks run and git does not record: ${shown}${more}`;
}

function whyOldTests(verified: Attempt['verified']): string | null {
  const { oldTests } = verified ?? {};
  if (oldTests === undefined || oldTests.result === 'passed') return null;
  if (oldTests.result === 'failed') return `passes only with ${judgesText(oldTests)}`;
  if (oldTests.added) return `the checks could not be tried without ${judgesText(oldTests)}: ${oldTests.message}`;
  return `it changed tests (${oldTests.files.join(', ')}), and the earlier ones could not be tried: ${oldTests.message}`;
}

/** The first failed checkpoint, in the order of the phases, that does not allow the run to continue. */
function firstFailedCheckpoint(order: Order, results: readonly CheckResult[]): FailedCheckpoint | null {
  const [first] = pairCheckpoints(order, results).flatMap(({ checkpoint: { id, onFailure }, found }) => {
    if (found === null || !isBad(found.result) || (onFailure !== 'abort' && onFailure !== 'retry')) return [];
    return [{ id, onFailure, message: sentence(found) }];
  });
  return first ?? null;
}

interface FailedCheckpoint {
  readonly id: string;
  readonly onFailure: 'abort' | 'retry';
  readonly message: string;
}

function isBad(result: CheckResult['result']): boolean {
  return result === 'failed' || result === 'could-not-run';
}

function sentence({ id, message }: CheckResult): string {
  return `checkpoint ${id}: ${message}`;
}
