import { assertNever } from '../domain/assert-never.ts';
import type { FinalSignal, Outcome } from '../domain/execution/fact.ts';
import type { CompletionOutcome } from '../domain/resolve-completion.ts';
import type { RunResult } from '../domain/run.ts';

/** What Baton itself found, in the form of an agent's report. */
export interface FoundOutcome extends Pick<RunResult, 'tests' | 'deliverables'> {
  readonly outcome: Outcome;
}

export function resultOfOutcome(
  { outcome, tests, deliverables }: FoundOutcome,
  agent: string,
  completedAt: number,
): RunResult {
  const said = reasonOfOutcome(outcome);
  return {
    outcome: outcomeOf(outcome.signal),
    summaryRef: '',
    deliverables,
    tests,
    blockers: outcome.signal === 'SUCCESS' || outcome.signal === 'PARTIAL_SUCCESS' ? [] : [said],
    notes: said,
    completedAt,
    agent,
  };
}

function outcomeOf(signal: FinalSignal): CompletionOutcome {
  switch (signal) {
    case 'SUCCESS':
      return 'done';
    case 'PARTIAL_SUCCESS':
      return 'partial';
    case 'FAILURE':
    case 'ABORTED':
      return 'blocked';
    default:
      return assertNever(signal);
  }
}

export function reasonOfOutcome({ code, message }: Outcome): string {
  return code === null ? message : `${code}: ${message}`;
}
