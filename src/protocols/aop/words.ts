import type { ChangedFile, RestoredFile } from '../../domain/execution/findings.ts';
import { failureOfCode, recordCode } from '../../domain/failure-code.ts';
import type { ReportedCheckpoint, ReportedFile } from '../../domain/order/report.ts';
import type { ClaimedResult, WorkVerdict } from '../../domain/order/work-verdict.ts';
import type { MemberState } from '../../domain/session/session-report.ts';

// AOP's codes, and its words for those of the kernel (AOP §5, §7, §10).

export const FINAL_SIGNALS = {
  checked: 'SUCCESS',
  unchecked: 'PARTIAL_SUCCESS',
  partial: 'PARTIAL_SUCCESS',
  failed: 'FAILURE',
  aborted: 'ABORTED',
} as const satisfies Record<WorkVerdict, string>;

type FinalSignal = (typeof FINAL_SIGNALS)[WorkVerdict];

/** An agent's final_signal is a claim. */
export const RESULT_OF_SIGNAL = {
  SUCCESS: 'done',
  PARTIAL_SUCCESS: 'partial',
  FAILURE: 'failed',
  ABORTED: 'aborted',
} as const satisfies Record<FinalSignal, ClaimedResult>;

export const SIGNAL_OF_RESULT = {
  done: 'SUCCESS',
  partial: 'PARTIAL_SUCCESS',
  failed: 'FAILURE',
  aborted: 'ABORTED',
} as const satisfies Record<ClaimedResult, FinalSignal>;

export const TASK_STATES = {
  waiting: 'PENDING',
  running: 'IN_PROGRESS',
  completed: 'COMPLETED',
  failed: 'FAILED',
  aborted: 'ABORTED',
  skipped: 'SKIPPED',
} as const satisfies Record<MemberState, string>;

export const ARTIFACT_STATUSES = {
  created: 'CREATED',
  updated: 'UPDATED',
  deleted: 'DELETED',
  unchanged: 'UNCHANGED',
} as const satisfies Record<ChangedFile['status'] | ReportedFile['status'], string>;

export const CHECKPOINT_STATUSES = {
  passed: 'PASS',
  failed: 'FAIL',
  skipped: 'SKIP',
  pending: 'PENDING',
} as const satisfies Record<ReportedCheckpoint['status'], string>;

export const ROLLBACK_STATUSES = {
  restored: 'SUCCESS',
  failed: 'FAILED',
} as const satisfies Record<RestoredFile['status'], string>;

/** AOP §12. Records have the spelling of AOP: one table is enough. Codes that AOP does not have keep theirs. */
export const aopCode = recordCode;

/** The failure that a code of the taxonomy names; null for any other text. */
export const failureOfAopCode = failureOfCode;
