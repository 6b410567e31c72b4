import type { TaskWait } from '../../api/contract.ts';
import { assertNever } from '../../domain/assert-never.ts';
import type { TaskCause, TaskReason } from '../../domain/task-reason.ts';
import { quotaWaitText } from './pause-text.ts';
import { visible } from './visible.ts';

/** Baton's own causes as sentences; a reason without a cause exactly as an operator or agent wrote it. */
export function reasonText({ reason, cause }: TaskReason): string | null {
  if (cause !== null) return visible(sentenceOf(cause));
  // The report shows all lines.
  return reason === null || reason === '' ? null : visible(reason.split('\n', 1)[0] ?? '');
}

/** The obstacle that a waiting task meets; null for one that starts by itself. */
export function waitText({ missingAgent, quota }: TaskWait, nowMs: number): string | null {
  if (quota !== null) return quotaWaitText(quota, nowMs);
  return missingAgent === null ? null : `waits for agent ${visible(missingAgent)}, which is not configured`;
}

function sentenceOf(cause: TaskCause): string {
  switch (cause.kind) {
    case 'claimed':
      return 'taken by an agent';
    case 'retried':
      return 'another round was asked for';
    case 'failed':
      return cause.code === 'E_UNKNOWN' ? cause.message : `${cause.code}: ${cause.message}`;
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
