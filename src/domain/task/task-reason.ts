import { assertNever } from '../assert-never.ts';
import { FAILURE_CODES, recordCode } from '../failure-code.ts';
import type { FailureCode, RefusalCode } from '../refusal.ts';
import type { CompletionOutcome } from './resolve-completion.ts';

/** Why a run is over: its agent said so or exited, its heartbeat stopped, or the machine restarted. */
export type RunEnd = 'session_end' | 'stale_heartbeat' | 'machine_restarted';

/** Baton's own cause for a transition or for the end of a run. Operators and agents give a reason without a cause. */
export type TaskCause =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'retried' }
  /** outcome is null if the run reported nothing. */
  | { readonly kind: 'run-ended'; readonly end: RunEnd; readonly outcome: CompletionOutcome | null }
  | { readonly kind: 'failed'; readonly code: RefusalCode; readonly message: string };

/** The fields `reason` and `cause` of an event. Programs read the cause; the reason is text for people. */
export interface TaskReason {
  readonly reason: string | null;
  readonly cause: TaskCause | null;
}

/** A reason that Baton writes: never without words. */
export type OwnReason = TaskReason & { readonly reason: string };

/** Nothing reads this text back: an operator may write the same one. */
function encodeReason(cause: TaskCause): string {
  switch (cause.kind) {
    case 'claimed':
      return 'claim';
    case 'retried':
      return 'retry';
    case 'run-ended':
      return `${cause.end}_${cause.outcome ?? 'reclaim'}`;
    case 'failed':
      return `${cause.code}: ${cause.message}`;
  }
}

export function causedBy(cause: TaskCause): OwnReason {
  return { reason: encodeReason(cause), cause };
}

export function causedByFailure(failure: { readonly code: FailureCode; readonly message: string }): OwnReason {
  return causedBy({ kind: 'failed', ...failure, code: recordCode(failure.code) });
}

/** The reason for people: Baton's own causes as sentences, any other exactly as an operator or agent wrote its first line. */
export function reasonSentence({ reason, cause }: TaskReason): string | null {
  if (cause !== null) return sentenceOf(cause);
  // The report shows all lines.
  return reason === null || reason === '' ? null : (reason.split('\n', 1)[0] ?? '');
}

function sentenceOf(cause: TaskCause): string {
  switch (cause.kind) {
    case 'claimed':
      return 'taken by an agent';
    case 'retried':
      return 'another round was asked for';
    case 'failed':
      return cause.code === FAILURE_CODES.unknown ? cause.message : `${cause.code}: ${cause.message}`;
    case 'run-ended':
      return runEndText(cause);
    default:
      return assertNever(cause);
  }
}

function runEndText({ end, outcome }: Extract<TaskCause, { readonly kind: 'run-ended' }>): string {
  const report = `its agent reported ${outcome?.replace('_', ' ')}`;
  switch (end) {
    case 'stale_heartbeat':
      return outcome === null ? 'its agent went silent before it reported anything' : `${report} and then went silent`;
    case 'machine_restarted':
      return outcome === null ? 'the machine went down during its run' : `${report} before the machine went down`;
    case 'session_end':
      return outcome === null ? 'its agent ended without a report' : report;
    default:
      return assertNever(end);
  }
}
