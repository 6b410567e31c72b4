import {
  type Budget,
  type DaySpent,
  isDayNear,
  isDayOver,
  isNearBudget,
  isOverBudget,
  type Spend,
} from '../order/budget.ts';
import type { ExecutionPolicy } from '../order/policy.ts';
import { AGENT_LINGER_MS_MAX, MODEL_RETRY_MS_MAX } from '../process-limits.ts';

/** The reason why Baton ends a running process. */
export type StopCause =
  | 'stop'
  | 'budget'
  /** The cap on the money of the day. */
  | 'day'
  | 'timeout'
  | 'heartbeat'
  /** The agent reported that it cannot continue. */
  | 'failure'
  /** Its model has not answered for too long. */
  | 'unavailable'
  /** Its work is over, and its process stays. */
  | 'linger';

export interface WatchedRun {
  readonly policy: Pick<ExecutionPolicy, 'timeoutSeconds' | 'autoTerminateOnTimeout' | 'heartbeat'>;
  readonly budget: Budget;
  /** The spend of all attempts that share the budget. */
  readonly spent: Spend;
  /** Null where the day has no cap, or the run has cost nothing. */
  readonly day: DaySpent | null;
  /** Instants are milliseconds of the monotonic clock: a suspended machine neither ages a run nor makes it silent. */
  readonly startedAt: number;
  /** The instant of its last line or beat; before any, of its start. */
  readonly heardAt: number;
  readonly isStopRequested: boolean;
  /** Already warned about. Silence is reported again after the next sign of life. */
  readonly isTimeoutReported: boolean;
  readonly isSpendReported: boolean;
  readonly isDayReported: boolean;
  readonly isSilenceReported: boolean;
  /** It asked a person and waits for the answer. */
  readonly isWaitingForPerson: boolean;
  readonly hasFailed: boolean;
  /** Since its model answered last; null while it answers. */
  readonly retrying: { readonly since: number; readonly message: string } | null;
  /** The instant at which the agent had finished its work. */
  readonly finishedAt: number | null;
}

export type WatchStep =
  | { readonly kind: 'stop'; readonly cause: StopCause }
  | { readonly kind: 'warn'; readonly about: 'timeout' | 'heartbeat' | 'spend' | 'day' }
  /** The next instant at which a limit is due; null if there is none. */
  | { readonly kind: 'wait'; readonly until: number | null };

interface Deadline {
  readonly dueAt: number;
  readonly step: WatchStep;
}

/** aop:timeout, aop:heartbeat: the reaction to a live run at this instant. */
export function watchLimits(run: WatchedRun, now: number): WatchStep {
  if (run.isStopRequested) return { kind: 'stop', cause: 'stop' };
  if (isOverBudget(run.budget, run.spent)) return { kind: 'stop', cause: 'budget' };
  if (!run.isSpendReported && isNearBudget(run.budget, run.spent)) return { kind: 'warn', about: 'spend' };
  if (run.day !== null && isDayOver(run.day)) return { kind: 'stop', cause: 'day' };
  if (!run.isDayReported && run.day !== null && isDayNear(run.day)) return { kind: 'warn', about: 'day' };
  if (run.hasFailed) return { kind: 'stop', cause: 'failure' };
  const [next] = [...timeout(run), ...silence(run), ...unavailable(run), ...linger(run)].sort(
    (one, other) => one.dueAt - other.dueAt,
  );
  if (!next) return { kind: 'wait', until: null };
  return next.dueAt <= now ? next.step : { kind: 'wait', until: next.dueAt };
}

function timeout({ policy, startedAt, isTimeoutReported }: WatchedRun): Deadline[] {
  const dueAt = startedAt + policy.timeoutSeconds * 1_000;
  if (policy.autoTerminateOnTimeout) return [{ dueAt, step: { kind: 'stop', cause: 'timeout' } }];
  return isTimeoutReported ? [] : [{ dueAt, step: { kind: 'warn', about: 'timeout' } }];
}

function silence({ policy: { heartbeat }, heardAt, isSilenceReported, ...run }: WatchedRun): Deadline[] {
  if (run.isWaitingForPerson || !heartbeat.enabled || heartbeat.onFailure === 'continue') return [];
  const dueAt = heardAt + heartbeat.intervalSeconds * heartbeat.missedBeatsMax * 1_000;
  if (heartbeat.onFailure === 'abort') return [{ dueAt, step: { kind: 'stop', cause: 'heartbeat' } }];
  return isSilenceReported ? [] : [{ dueAt, step: { kind: 'warn', about: 'heartbeat' } }];
}

function unavailable({ retrying }: WatchedRun): Deadline[] {
  if (retrying === null) return [];
  return [{ dueAt: retrying.since + MODEL_RETRY_MS_MAX, step: { kind: 'stop', cause: 'unavailable' } }];
}

function linger({ finishedAt }: WatchedRun): Deadline[] {
  return finishedAt === null
    ? []
    : [{ dueAt: finishedAt + AGENT_LINGER_MS_MAX, step: { kind: 'stop', cause: 'linger' } }];
}
