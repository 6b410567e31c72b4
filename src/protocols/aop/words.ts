import type { ChangedFile, RestoredFile } from '../../domain/execution/findings.ts';
import type { ReportedCheckpoint, ReportedFile } from '../../domain/order/report.ts';
import type { ClaimedResult, WorkVerdict } from '../../domain/order/work-verdict.ts';
import type { RefusalCode } from '../../domain/refusal.ts';
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

/** AOP §12, the whole taxonomy. The kernel has the same codes, among others. */
const CODES = [
  'E_TIMEOUT',
  'E_HEARTBEAT_FAILURE',
  'E_PARSE_FAILURE',
  'E_SCHEMA_VALIDATION',
  'E_AGENT_NOT_FOUND',
  'E_MODEL_UNAVAILABLE',
  'E_ALL_MODELS_EXHAUSTED',
  'E_FILE_NOT_FOUND',
  'E_PERMISSION_DENIED',
  'E_CONTEXT_OVERFLOW',
  'E_PAYLOAD_SIZE_WARNING',
  'E_MALFORMED_RESPONSE',
  'E_DEPENDENCY_FAILED',
  'E_MAX_DEPTH_EXCEEDED',
  'E_PROCESS_CRASH',
  'E_COST_LIMIT_EXCEEDED',
  'E_ROLLBACK_FAILED',
  'E_UNKNOWN',
] as const satisfies readonly RefusalCode[];

/** The code of the taxonomy that a text names; null for any other text. */
export function aopCodeOf(text: string): (typeof CODES)[number] | null {
  return CODES.find((code) => code === text) ?? null;
}
