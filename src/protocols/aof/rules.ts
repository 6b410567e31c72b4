import type { Issue, Path } from '../issue.ts';
import type { AofRunResult } from './schema/files.ts';
import type { CompletionReport, Handoff, HandoffRequest, StatusUpdate, TestReport } from './schema/messages.ts';

interface AboutTask {
  readonly taskId: string;
  readonly payload: { readonly taskId?: string | undefined };
}

/** aof:task-id: payload and envelope name the same task, in every type. */
export function taskIdDiffers({ taskId, payload }: AboutTask): Issue[] {
  if (payload.taskId === undefined || payload.taskId === taskId) return [];
  const path = ['payload', 'taskId'];
  return [{ path, code: 'taskId_mismatch', kind: 'differs', from: 'taskId', got: payload.taskId, want: taskId }];
}

/** aof:limits: passed + failed ≤ total. */
export function reportTestsOverTotal(message: CompletionReport): Issue[] {
  return testsOverTotal(message.payload.tests, ['payload', 'tests']);
}

export function resultTestsOverTotal(result: AofRunResult): Issue[] {
  return testsOverTotal(result.tests, ['tests']);
}

function testsOverTotal({ total, passed, failed }: TestReport, path: Path): Issue[] {
  const got = passed + failed;
  if (got <= total) return [];
  return [{ path, kind: 'over-limit', what: 'passed + failed', max: total, unit: 'tests in total', got }];
}

const SAYS_SOMETHING = ['status', 'progress', 'blockers', 'notes'] as const;

/** AOF/1, Status Update Payload, Validation. */
export function statusUpdateSaysNothing({ payload }: StatusUpdate): Issue[] {
  if (SAYS_SOMETHING.some((field) => payload[field] !== undefined)) return [];
  return [{ path: ['payload'], kind: 'needs-one-of', fields: SAYS_SOMETHING }];
}

/** aof:blockers: blocked without blockers is accepted. */
export function reportBlockersMissing({ payload }: CompletionReport): Issue[] {
  return blockersMissing(payload, ['payload', 'blockers']);
}

export function resultBlockersMissing(result: AofRunResult): Issue[] {
  return blockersMissing(result, ['blockers']);
}

function blockersMissing(report: Pick<AofRunResult, 'outcome' | 'blockers'>, path: Path): Issue[] {
  if (report.outcome !== 'blocked' || report.blockers?.length) return [];
  return [{ path, code: 'blockers_missing', kind: 'advised', because: 'the outcome is blocked' }];
}

/** aof:acceptance-criteria: items that are not strings do not stop a handoff. */
export function requestCriteriaDropped({ payload }: HandoffRequest): Issue[] {
  return criteriaDropped(payload, ['payload', 'acceptanceCriteria']);
}

export function handoffCriteriaDropped(handoff: Handoff): Issue[] {
  return criteriaDropped(handoff, ['acceptanceCriteria']);
}

function criteriaDropped(handoff: Handoff, path: Path): Issue[] {
  const list: unknown = handoff.acceptanceCriteria;
  const code = 'invalid_acceptance_criteria';
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [{ path, code, kind: 'note', text: 'is not a list of strings and was dropped' }];
  const bad = list.flatMap((item, at) => (typeof item === 'string' ? [] : [`[${at}]`]));
  if (bad.length === 0) return [];
  return [{ path, code, kind: 'note', text: `${bad.join(', ')} is not a string and was dropped` }];
}

/** The handoff with only those criteria that are strings. */
export function withReadableCriteria(handoff: Handoff): Handoff {
  const list: unknown = handoff.acceptanceCriteria;
  if (list === undefined || (Array.isArray(list) && list.every((item) => typeof item === 'string'))) return handoff;
  const acceptanceCriteria = Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
  return { ...handoff, acceptanceCriteria };
}
