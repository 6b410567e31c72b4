/** The reaction to a silent agent. */
export type HeartbeatAction = 'abort' | 'warn' | 'continue';

export type OnFailure = 'report-and-continue' | 'abort-session' | 'retry';

export interface HeartbeatPolicy {
  readonly enabled: boolean;
  readonly intervalSeconds: number;
  readonly missedBeatsMax: number;
  readonly onFailure: HeartbeatAction;
}

/** How a task is run, every field decided. */
export interface ExecutionPolicy {
  readonly timeoutSeconds: number;
  readonly autoTerminateOnTimeout: boolean;
  readonly abortOnFirstCriticalError: boolean;
  readonly retriesMax: number;
  readonly retryBackoffSeconds: readonly number[];
  readonly onFailure: OnFailure;
  readonly heartbeat: HeartbeatPolicy;
  readonly requireMinimalReport: boolean;
  readonly requireResult: boolean;
}

type Sparse<T> = { readonly [Key in keyof T]?: T[Key] | null | undefined };

/** The policy fields of an order in their two places; absent ones are undefined or null. */
export interface PolicySources {
  readonly guardRails?: Sparse<ExecutionPolicy> | null | undefined;
  readonly executionPolicy?:
    | Sparse<Omit<ExecutionPolicy, 'heartbeat'> & { heartbeat: Sparse<HeartbeatPolicy> }>
    | null
    | undefined;
  readonly agentTimeoutSeconds?: number | undefined;
  /** Instead of Baton's usual ones. */
  readonly defaults?: Partial<ExecutionPolicy>;
}

/** aop:defaults. */
export const POLICY_DEFAULTS: ExecutionPolicy = {
  timeoutSeconds: 1_800,
  autoTerminateOnTimeout: true,
  abortOnFirstCriticalError: false,
  retriesMax: 0,
  retryBackoffSeconds: [30, 120, 300],
  onFailure: 'report-and-continue',
  heartbeat: { enabled: false, intervalSeconds: 120, missedBeatsMax: 3, onFailure: 'abort' },
  requireMinimalReport: true,
  requireResult: true,
};

/** aop:words: the second attempt at words begins at once, and knows what failed. */
export const WORDS_DEFAULTS = { retriesMax: 1, retryBackoffSeconds: [0, 30, 120, 300] } as const;

/** AOP §11.1: guard_rails win over execution_policy, which wins over the agent's default, which wins over Baton's. */
export function effectivePolicy(sources: PolicySources): ExecutionPolicy {
  const rails = sources.guardRails ?? {};
  const policy = sources.executionPolicy ?? {};
  const defaults = {
    ...POLICY_DEFAULTS,
    ...sources.defaults,
    timeoutSeconds: sources.agentTimeoutSeconds ?? POLICY_DEFAULTS.timeoutSeconds,
  };
  const first = <Key extends keyof ExecutionPolicy>(key: Key): ExecutionPolicy[Key] =>
    rails[key] ?? (policy as Sparse<ExecutionPolicy>)[key] ?? defaults[key];
  const beat = policy.heartbeat ?? {};
  const beatDefaults = POLICY_DEFAULTS.heartbeat;
  return {
    timeoutSeconds: first('timeoutSeconds'),
    autoTerminateOnTimeout: first('autoTerminateOnTimeout'),
    abortOnFirstCriticalError: first('abortOnFirstCriticalError'),
    retriesMax: first('retriesMax'),
    retryBackoffSeconds: first('retryBackoffSeconds'),
    onFailure: first('onFailure'),
    heartbeat: {
      enabled: beat.enabled ?? beatDefaults.enabled,
      intervalSeconds: beat.intervalSeconds ?? beatDefaults.intervalSeconds,
      missedBeatsMax: beat.missedBeatsMax ?? beatDefaults.missedBeatsMax,
      onFailure: beat.onFailure ?? beatDefaults.onFailure,
    },
    requireMinimalReport: first('requireMinimalReport'),
    requireResult: first('requireResult'),
  };
}

/** The wait before a retry, counted from 1; the last entry repeats. */
export function backoffSeconds(policy: ExecutionPolicy, retry: number): number {
  const waits = policy.retryBackoffSeconds;
  return waits[Math.min(retry, waits.length) - 1] ?? 0;
}
