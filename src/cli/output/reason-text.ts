import { assertNever } from '../../domain/assert-never.ts';
import { decodeReason, type OwnReason } from '../../domain/task-reason.ts';
import { visible } from './visible.ts';

/** Reasons of Baton itself as sentences; a reason of an operator or an agent as it was written. */
export function reasonText(reason: string | null): string | null {
  if (reason === null || reason === '') return null;
  const own = decodeReason(reason);
  return visible(own === null ? reason : sentenceOf(own));
}

function sentenceOf(reason: OwnReason): string {
  switch (reason.kind) {
    case 'claimed':
      return 'taken by an agent';
    case 'retried':
      return 'another round was asked for';
    case 'failed':
      return reason.message;
    case 'run-ended':
      return runEndText(reason);
    default:
      return assertNever(reason);
  }
}

function runEndText({ end, outcome }: Extract<OwnReason, { readonly kind: 'run-ended' }>): string {
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
