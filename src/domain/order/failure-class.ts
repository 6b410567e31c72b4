import type { FailureCode } from '../refusal.ts';
import type { WorkVerdict } from './work-verdict.ts';

/** runtime:failure-classes: why a task of another node failed. */
const FAILURE_CLASSES = [
  'failed_terminal',
  'dependency_missing',
  'dependency_unavailable',
  'capability_unavailable',
  'version_incompatible',
  'approval_required',
  'timeout',
  'authz_denied',
  'invalid_target',
  'overloaded',
  'execution_error',
  'policy_blocked',
  'transport_error',
  'unknown',
] as const;

export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** The classes that only reviews have beside those. */
export type ReviewClass = FailureClass | 'sla_breach' | 'contract_violation' | 'route_failure';

const KNOWN: ReadonlySet<string> = new Set(FAILURE_CLASSES);

/** runtime:values: a class that nobody knows reads as unknown. */
export function readFailureClass(text: string): FailureClass {
  return KNOWN.has(text) ? (text as FailureClass) : 'unknown';
}

const CLASS_OF: Readonly<Partial<Record<FailureCode, FailureClass>>> = {
  timeout: 'timeout',
  'heartbeat-missed': 'timeout',
  'agent-not-found': 'dependency_missing',
  'file-not-found': 'dependency_missing',
  'dependency-failed': 'dependency_missing',
  'model-unavailable': 'dependency_unavailable',
  'all-models-failed': 'dependency_unavailable',
  'permission-denied': 'authz_denied',
  'delegation-too-deep': 'policy_blocked',
  'budget-exceeded': 'policy_blocked',
  invalid_targets: 'invalid_target',
  capability_unavailable: 'capability_unavailable',
  version_incompatible: 'version_incompatible',
  owner_unavailable: 'capability_unavailable',
  overloaded: 'overloaded',
  parcel_base_missing: 'dependency_missing',
  parcel_refused: 'policy_blocked',
  work_too_large: 'policy_blocked',
};

/** The class of a failure here, for the node that asked. Work that was stopped is `policy_blocked`, dispatch that was given up `failed_terminal`. */
export function failureClassOf(failure: {
  readonly verdict: WorkVerdict;
  readonly code: FailureCode | null;
  readonly isGivenUp?: boolean | undefined;
}): FailureClass {
  const { verdict, code, isGivenUp = false } = failure;
  if (isGivenUp && code !== 'permission-denied') return 'failed_terminal';
  const known = code === null ? undefined : CLASS_OF[code];
  if (known !== undefined) return known;
  return verdict === 'aborted' ? 'policy_blocked' : 'execution_error';
}

const OTHERS_MAY_DO: ReadonlySet<FailureClass> = new Set([
  'dependency_missing',
  'dependency_unavailable',
  'capability_unavailable',
  'version_incompatible',
  'invalid_target',
  'overloaded',
]);

/** Whether another node may do what one has refused before it began. */
export function mayOthersDo(failureClass: FailureClass): boolean {
  return OTHERS_MAY_DO.has(failureClass);
}

const CODE_OF: Readonly<Partial<Record<FailureClass, FailureCode>>> = {
  timeout: 'timeout',
  dependency_missing: 'dependency-failed',
  dependency_unavailable: 'model-unavailable',
  capability_unavailable: 'capability_unavailable',
  version_incompatible: 'version_incompatible',
  authz_denied: 'permission-denied',
  approval_required: 'permission-denied',
  policy_blocked: 'permission-denied',
  invalid_target: 'invalid_targets',
  overloaded: 'overloaded',
};

/** The code under which a failure of another node is reported here, where that node names none. */
export function codeOfFailure(failureClass: FailureClass): FailureCode {
  return CODE_OF[failureClass] ?? 'unknown';
}
