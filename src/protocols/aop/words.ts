import type { ChangedFile, RestoredFile } from '../../domain/execution/findings.ts';
import type { ReportedCheckpoint, ReportedFile } from '../../domain/report.ts';
import type { MemberState } from '../../domain/session-report.ts';
import type { ClaimedResult, WorkVerdict } from '../../domain/work-verdict.ts';

// AOP's words for those of the kernel (AOP §5, §7, §10).

export const FINAL_SIGNALS = {
  checked: 'SUCCESS',
  unchecked: 'PARTIAL_SUCCESS',
  partial: 'PARTIAL_SUCCESS',
  failed: 'FAILURE',
  aborted: 'ABORTED',
} as const satisfies Record<WorkVerdict, string>;

type FinalSignal = (typeof FINAL_SIGNALS)[WorkVerdict];

/** An agent's final_signal is a claim. */
export const CLAIMED_RESULTS = {
  SUCCESS: 'done',
  PARTIAL_SUCCESS: 'partial',
  FAILURE: 'failed',
  ABORTED: 'aborted',
} as const satisfies Record<FinalSignal, ClaimedResult>;

export const CLAIMED_SIGNALS = {
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
