import { assertNever } from '../domain/assert-never.ts';
import type { FinalSignal, Outcome } from '../domain/execution/fact.ts';
import type { CompletionOutcome } from '../domain/resolve-completion.ts';
import type { RunResult } from '../domain/run.ts';
import type { TaskName } from '../domain/task.ts';

/** What Baton itself found, in the form of an agent's report. */
export interface FoundOutcome extends Pick<RunResult, 'tests' | 'deliverables'> {
  readonly taskId: TaskName;
  readonly outcome: Outcome;
}

export function resultOfOutcome(
  { taskId, outcome, tests, deliverables }: FoundOutcome,
  agent: string,
  completedAt: number,
): RunResult {
  const said = reasonOfOutcome(outcome);
  return {
    outcome: outcomeOf(outcome.signal),
    summaryRef: answerRef(taskId),
    deliverables,
    tests,
    blockers: outcome.signal === 'SUCCESS' || outcome.signal === 'PARTIAL_SUCCESS' ? [] : [said],
    notes: said,
    completedAt,
    agent,
  };
}

/** Its summary is the RESPONSE; refs are read from the task's own folder, which is tasks/<status>/<ID>/ (D-A7). */
function answerRef(taskId: TaskName): string {
  return `../../../runs/${taskId}/response.json`;
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
