import { assertNever } from '../../domain/assert-never.ts';
import { type Execution, lastRun } from '../../domain/execution/execution.ts';
import type { Outcome } from '../../domain/execution/fact.ts';
import { changesLeft } from '../../domain/execution/recorded-changes.ts';
import { recordCode } from '../../domain/failure-code.ts';
import {
  AOF_DELIVERABLES_MAX,
  AOF_LIST_ITEM_CHARACTERS_MAX,
  AOF_NOTES_CHARACTERS_MAX,
} from '../../domain/federation/message-limits.ts';
import { isAccepted, type WorkVerdict } from '../../domain/order/work-verdict.ts';
import { type CompletionOutcome, resolveCompletionTransitions } from '../../domain/task/resolve-completion.ts';
import type { RunResult } from '../../domain/task/run.ts';
import { isReviewRequired, type Task, type TaskName } from '../../domain/task/task.ts';
import { legalMoves, type TaskStatus } from '../../domain/task/task-lifecycle.ts';
import type { TaskCause } from '../../domain/task/task-reason.ts';
import { shortenWithin } from '../../domain/words/shorten.ts';

/** Baton's own findings about an order. */
export interface FoundOutcome extends Pick<RunResult, 'tests' | 'deliverables'> {
  readonly taskId: TaskName;
  readonly outcome: Outcome;
  /** Its last run was lost with its node: it has reported nothing, and did not complete. */
  readonly isRunLost: boolean;
  /** Its failure aborts the rest of its session. */
  readonly isSessionEnding: boolean;
}

/** The outcome of an order with the number of its checks and the changed files. */
export function foundOutcome(taskId: TaskName, execution: Execution, outcome: Outcome): FoundOutcome {
  const last = lastRun(execution);
  const results = last?.verified?.results ?? [];
  const passed = results.filter(({ result }) => result === 'passed').length;
  return {
    taskId,
    outcome,
    tests: { total: results.length, passed, failed: results.length - passed },
    deliverables: changesLeft(execution).map(({ path }) => path),
    isSessionEnding: execution.order.policy.onFailure === 'abort-session',
    isRunLost: last?.end?.kind === 'lost',
  };
}

/** The findings in the form of a completion report, within the limits of AOF (aof:limits): long texts are cut, surplus files dropped. */
export function resultOfOutcome(
  { taskId, outcome, tests, deliverables }: Omit<FoundOutcome, 'isRunLost' | 'isSessionEnding'>,
  agent: string,
  completedAt: number,
): RunResult {
  const said = reasonOfOutcome(outcome);
  return {
    outcome: outcomeOf(outcome.verdict),
    summaryRef: answerRef(taskId),
    deliverables: deliverables.filter(isItem).slice(0, AOF_DELIVERABLES_MAX),
    tests,
    blockers: isAccepted(outcome.verdict) ? [] : [shortenWithin(said, AOF_LIST_ITEM_CHARACTERS_MAX)],
    notes: shortenWithin(said, AOF_NOTES_CHARACTERS_MAX),
    completedAt,
    agent,
  };
}

function isItem(path: string): boolean {
  return [...path].length <= AOF_LIST_ITEM_CHARACTERS_MAX;
}

/** Its summary is the RESPONSE; refs are read from the task's own folder, which is tasks/<status>/<ID>/ (aof:refs). */
function answerRef(taskId: TaskName): string {
  return `../../../runs/${taskId}/response.json`;
}

function outcomeOf(verdict: WorkVerdict): CompletionOutcome {
  switch (verdict) {
    case 'checked':
      return 'done';
    case 'unchecked':
    case 'partial':
      return 'partial';
    case 'failed':
    case 'aborted':
      return 'blocked';
    default:
      return assertNever(verdict);
  }
}

/** aof:review: Baton's checks lead to done where no review is asked for. aof:dispatch: work given up leads to deadletter. */
export function movesOfOutcome(task: Task, { verdict, isGivenUp }: Outcome): readonly TaskStatus[] {
  const wanted = resolveCompletionTransitions(task.status, outcomeOf(verdict), isReviewRequired(task));
  return legalMoves(task.status, isGivenUp ? ['deadletter'] : wanted);
}

export function reasonOfOutcome({ code, message }: Outcome): string {
  return code === null ? message : `${recordCode(code)}: ${message}`;
}

/** Null if there is no code: then the message is the whole reason. */
export function causeOfOutcome({ code, message }: Outcome): TaskCause | null {
  if (code === null) return null;
  return { kind: 'failed', code: recordCode(code), message: shortenWithin(message, AOF_LIST_ITEM_CHARACTERS_MAX) };
}
