import type { Now } from '../domain/now.ts';
import type { RunResult } from '../domain/run.ts';
import type { CompletionReport } from '../protocols/aof/schema/completion-report.ts';

/** What a report says of the work, as the run keeps it. The time is Baton's: a sender's clock is not believed. */
export function resultOf({ payload, fromAgent }: CompletionReport, now: Now): RunResult {
  return {
    outcome: payload.outcome,
    summaryRef: payload.summaryRef,
    deliverables: payload.deliverables ?? [],
    tests: payload.tests,
    blockers: payload.blockers ?? [],
    notes: payload.notes,
    completedAt: now.wallMs,
    agent: fromAgent,
  };
}
