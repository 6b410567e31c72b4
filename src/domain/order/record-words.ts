import type { ChangedFile, RestoredFile, RollbackTrigger } from '../execution/findings.ts';
import type { MemberState } from '../session/session-report.ts';
import { CLAIMED_RESULTS, type ClaimedResult, COMBINED_VERDICTS, type WorkVerdict } from './work-verdict.ts';

// The spelling of the kernel's words in everything that programs read and keep: events of the log, receipts, and the JSON of
// commands and HTTP. It never changes with the kernel's own words: a receipt is signed, and an event is written once.

export const SIGNALS = {
  checked: 'SUCCESS',
  unchecked: 'PARTIAL_SUCCESS',
  partial: 'PARTIAL_SUCCESS',
  failed: 'FAILURE',
  aborted: 'ABORTED',
} as const satisfies Record<WorkVerdict, string>;

/** A verdict as programs read it, beside `isUnchecked`. */
export type Signal = (typeof SIGNALS)[WorkVerdict];

/** Null for a word that no record of this Baton has. */
export function verdictOfSignal(signal: unknown, isUnchecked: boolean): WorkVerdict | null {
  if (isUnchecked) return 'unchecked';
  return COMBINED_VERDICTS.find((verdict) => SIGNALS[verdict] === signal) ?? null;
}

export const CLAIMED_SIGNALS = {
  done: 'SUCCESS',
  partial: 'PARTIAL_SUCCESS',
  failed: 'FAILURE',
  aborted: 'ABORTED',
} as const satisfies Record<ClaimedResult, Signal>;

/** Null for a word that no record of this Baton has. */
export function claimOfSignal(signal: unknown): ClaimedResult | null {
  return CLAIMED_RESULTS.find((result) => CLAIMED_SIGNALS[result] === signal) ?? null;
}

export const STATES = {
  waiting: 'PENDING',
  running: 'IN_PROGRESS',
  completed: 'COMPLETED',
  failed: 'FAILED',
  aborted: 'ABORTED',
  skipped: 'SKIPPED',
} as const satisfies Record<MemberState, string>;

/** The state of a task of a session as programs read it. */
export type StateSignal = (typeof STATES)[MemberState];

export const FILE_STATUSES = {
  created: 'CREATED',
  updated: 'UPDATED',
  deleted: 'DELETED',
} as const satisfies Record<ChangedFile['status'], string>;

export const ROLLBACK_TRIGGERS = {
  aborted: 'TASK_ABORTED',
  failed: 'TASK_FAILED',
} as const satisfies Record<RollbackTrigger, string>;

export const RESTORED_STATUSES = {
  restored: 'SUCCESS',
  failed: 'FAILED',
} as const satisfies Record<RestoredFile['status'], string>;
