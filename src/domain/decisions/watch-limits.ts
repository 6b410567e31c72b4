import { type Budget, isOverBudget, type Spend } from '../budget.ts';
import type { ExecutionPolicy } from '../policy.ts';

/** Why Baton ends a run that would go on. */
export type StopCause = 'stop' | 'budget' | 'timeout' | 'heartbeat';

export interface WatchedRun {
  readonly policy: Pick<ExecutionPolicy, 'timeoutSeconds' | 'autoTerminateOnTimeout' | 'heartbeat'>;
  readonly budget: Budget;
  /** Over all attempts of its order. */
  readonly spent: Spend;
  /** Instants are milliseconds of the monotonic clock: a machine that sleeps neither ages a run nor silences it. */
  readonly startedAt: number;
  /** Its last line or beat; before any, its start. */
  readonly heardAt: number;
  readonly isStopRequested: boolean;
  /** Of what was warned already; silence is told anew once it was heard again. */
  readonly isTimeoutTold: boolean;
  readonly isSilenceTold: boolean;
}

export type WatchStep =
  | { readonly kind: 'stop'; readonly cause: StopCause }
  | { readonly kind: 'warn'; readonly about: 'timeout' | 'heartbeat' }
  /** Until then nothing is due; null where nothing ever is. */
  | { readonly kind: 'wait'; readonly until: number | null };

interface Deadline {
  readonly dueAt: number;
  readonly step: WatchStep;
}

/** aop:timeout, aop:heartbeat: what a live run is owed at this instant. */
export function watchLimits(run: WatchedRun, now: number): WatchStep {
  if (run.isStopRequested) return { kind: 'stop', cause: 'stop' };
  if (isOverBudget(run.budget, run.spent)) return { kind: 'stop', cause: 'budget' };
  const [next] = [...timeout(run), ...silence(run)].sort((one, other) => one.dueAt - other.dueAt);
  if (!next) return { kind: 'wait', until: null };
  return next.dueAt <= now ? next.step : { kind: 'wait', until: next.dueAt };
}

function timeout({ policy, startedAt, isTimeoutTold }: WatchedRun): Deadline[] {
  const dueAt = startedAt + policy.timeoutSeconds * 1_000;
  if (policy.autoTerminateOnTimeout) return [{ dueAt, step: { kind: 'stop', cause: 'timeout' } }];
  return isTimeoutTold ? [] : [{ dueAt, step: { kind: 'warn', about: 'timeout' } }];
}

function silence({ policy: { heartbeat }, heardAt, isSilenceTold }: WatchedRun): Deadline[] {
  if (!heartbeat.enabled || heartbeat.onFailure === 'CONTINUE') return [];
  const dueAt = heardAt + heartbeat.intervalSeconds * heartbeat.missedBeatsMax * 1_000;
  if (heartbeat.onFailure === 'ABORT') return [{ dueAt, step: { kind: 'stop', cause: 'heartbeat' } }];
  return isSilenceTold ? [] : [{ dueAt, step: { kind: 'warn', about: 'heartbeat' } }];
}
