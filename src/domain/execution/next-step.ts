import { nextSentStep, type SentStep } from '../remote/next-sent-step.ts';
import type { OwnReason } from '../task/task-reason.ts';
import { chooseFallback, type OrderQuestion } from './choose-fallback.ts';
import { type Attempt, type Execution, lastRun, stoppedOutcome, takeFact } from './execution.ts';
import type { Fact, Outcome } from './fact.ts';
import type { RollbackTrigger } from './findings.ts';
import { withRollback } from './with-rollback.ts';

/** The next action for an order. Each step ends in one fact, and each fact leads to one step. */
export type Step =
  | { readonly kind: 'admit' }
  | { readonly kind: 'snapshot' }
  /** No agent matches this attempt: it counts as failed without a run. */
  | { readonly kind: 'note-unanswered'; readonly alternative: number | null }
  /** Once it is due and a slot is free. A task that waits in blocked is made ready first. */
  | { readonly kind: 'lease'; readonly agent: string; readonly alternative: number | null; readonly dueAt: number }
  | { readonly kind: 'launch'; readonly runId: string }
  | { readonly kind: 'watch'; readonly runId: string }
  | { readonly kind: 'collect'; readonly runId: string }
  | { readonly kind: 'verify'; readonly runId: string }
  | ({
      readonly kind: 'requeue';
      readonly alternative: number | null;
      readonly afterMs: number;
      readonly isBlocked?: boolean;
      readonly quota?: { readonly account: string | null; readonly until: number };
      readonly asks?: OrderQuestion;
    } & OwnReason)
  | { readonly kind: 'roll-back'; readonly trigger: RollbackTrigger }
  | SentStep;

/** Returns the next step for the facts so far. */
export function nextStep(execution: Execution, fact?: Fact): Step {
  return stepOf(fact === undefined ? execution : takeFact(execution, fact));
}

function stepOf(execution: Execution): Step {
  if (execution.remote !== null) return nextSentStep(execution, execution.remote);
  const { admitted, snapshotted, outcome, next, stopRequestedBy } = execution;
  if (outcome !== null) return afterSettling(execution, outcome);
  if (admitted === null) return { kind: 'admit' };
  if (next !== null) return beginning(execution, next);
  const attempt = execution.attempts.at(-1);
  if (!attempt) throw new Error('an order in progress has an attempt');
  if (snapshotted === null && stopRequestedBy === null && !isUnprepared(attempt)) return { kind: 'snapshot' };
  return attempt.end === null ? running(attempt) : afterwards(execution, attempt);
}

/** Its snapshot itself failed: another one is due with the next attempt. */
function isUnprepared({ runId, end }: Attempt): boolean {
  return runId === null && end?.kind === 'failed' && end.code !== 'agent-not-found';
}

/** Before an attempt: a snapshot first, then a lease for its agent. */
function beginning(execution: Execution, next: NonNullable<Execution['next']>): Step {
  const { admitted, snapshotted, stopRequestedBy } = execution;
  if (stopRequestedBy !== null) return closing(execution, stoppedOutcome(execution));
  const { alternative, dueAt } = next;
  const agent = (alternative === null ? admitted?.agent : admitted?.alternatives[alternative]) ?? null;
  if (agent === null) return { kind: 'note-unanswered', alternative };
  if (snapshotted === null) return { kind: 'snapshot' };
  return { kind: 'lease', agent, alternative, dueAt };
}

function running({ runId, isLaunched }: Attempt): Step {
  if (runId === null) throw new Error('an attempt without a run is over');
  return { kind: isLaunched ? 'watch' : 'launch', runId };
}

function afterwards(execution: Execution, attempt: Attempt): Step {
  const { runId, end, collected, verified } = attempt;
  // Of a lost run too, and at once: later a person may have changed the files.
  if (runId !== null && collected === null && mayHaveWorked(attempt)) return { kind: 'collect', runId };
  if (runId !== null && end?.kind === 'finished' && verified === null) return { kind: 'verify', runId };
  const sequel = chooseFallback(execution);
  if (sequel.kind === 'settle') return closing(execution, sequel.outcome);
  return { ...sequel, kind: 'requeue' };
}

/** Whether the agent may have been started: one that was lost before that left nothing. */
function mayHaveWorked({ isLaunched, end }: Attempt): boolean {
  return isLaunched || end?.kind !== 'lost';
}

/**
 * Before the order is settled, the files of its last run are collected, even of a lost one. A failed or aborted order
 * is rolled back if it has snapshots.
 */
function closing(execution: Execution, outcome: Outcome): Step {
  const { rolledBack } = execution;
  const { runId = null, collected = null } = lastRun(execution) ?? {};
  if (runId !== null && collected === null) return { kind: 'collect', runId };
  if (rolledBack !== null) return { kind: 'settle', outcome: withRollback(outcome, rolledBack) };
  const trigger = pendingRollback(execution, outcome);
  return trigger === null ? { kind: 'settle', outcome } : { kind: 'roll-back', trigger };
}

/** An abandoned order is settled before its files are collected and rolled back, and reported after that. */
function afterSettling(execution: Execution, outcome: Outcome): Step {
  if (execution.reported !== null) return { kind: 'rest' };
  const last = lastRun(execution);
  if (last?.runId && last.isLaunched && last.collected === null) return { kind: 'collect', runId: last.runId };
  const trigger = execution.keepsFiles ? null : pendingRollback(execution, outcome);
  return trigger === null ? { kind: 'report' } : { kind: 'roll-back', trigger };
}

function pendingRollback({ snapshotted, rolledBack }: Execution, { verdict }: Outcome): RollbackTrigger | null {
  if (rolledBack !== null || (snapshotted?.files.length ?? 0) === 0) return null;
  return verdict === 'aborted' || verdict === 'failed' ? verdict : null;
}

/**
 * Whether a wait is over by the wall clock, which survives a restart. A clock that shows a time before the start of the wait
 * was set back: then the wait counts as over.
 */
export function isDue(wait: { readonly since: number; readonly dueAt: number }, nowMs: number): boolean {
  return wait.dueAt <= nowMs || nowMs < wait.since;
}
