import type { Launch } from '../../agents/agent-driver.ts';
import type { Sandboxes } from '../../agents/sandbox/sandboxes.ts';
import type { AgentSignal } from '../../domain/agent/agent-signal.ts';
import type { Price } from '../../domain/agent/price.ts';
import type { OnQuota } from '../../domain/agent/quota.ts';
import type { Fact, VersionFallback } from '../../domain/execution/fact.ts';
import type { TheirChanges } from '../../domain/execution/findings.ts';
import type { EndCause } from '../../domain/execution/judge-exit.ts';
import type { Budget, DayLimit, Spend } from '../../domain/order/budget.ts';
import type { ExecutionPolicy } from '../../domain/order/policy.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Roster } from '../../orders/roster.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Timer } from '../../platform/timer.ts';
import type { RecordedFolder } from '../../work/recorded-folder.ts';
import type { LiveRuns } from './live-runs.ts';
import type { RunTalk } from './run-talk.ts';
import type { AgentInput } from './talk.ts';

/** The parts of a node that run one agent process. */
export interface AgentWorld {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Logger;
  /** The environment of the user who started the node; read by name, never passed on whole. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly roster: Pick<Roster, 'drivers'>;
  readonly sandboxes: Pick<Sandboxes, 'sandbox' | 'open'>;
  readonly talk: RunTalk;
}

/** The parts that record it as a run of a task, too. */
export interface AttemptWorld extends AgentWorld {
  readonly dataFolder: string;
  readonly live: Omit<LiveRuns, 'daySpend'>;
}

export interface QuotaTerms {
  readonly onQuota: OnQuota;
  /** Runs of the same order in a row that ended for the same reason. */
  readonly hitsBefore: number;
}

/** The bounds that Baton holds a process to. */
export interface RunLimits {
  readonly policy: Pick<
    ExecutionPolicy,
    'timeoutSeconds' | 'autoTerminateOnTimeout' | 'heartbeat' | 'requireResult' | 'requireMinimalReport'
  >;
  readonly budget: Budget;
  /** By earlier runs that share the budget. */
  readonly spentBefore: Spend;
  /** Absent: the day has no cap, or a person lifted it for this task. */
  readonly day?: DayLimit | null;
  /** For a vendor's quota that is used up; absent: wait. */
  readonly quota?: QuotaTerms;
}

type Holder = RunHolder | null;

/** The identity of one agent process; one that works on no task has no holder, and cannot reach the node. */
interface AgentRun<Held extends Holder> extends Pick<RunHolder, 'runId' | 'agent'> {
  readonly sessionId: string;
  readonly holder: Held;
}

/** A launch with its identity and its bounds. There need not be a task: a reviewer's prompt has words only. */
export interface BoundedLaunch<Held extends Holder = Holder> extends Omit<Launch, 'variables' | 'resume'> {
  /** The vendor's session to continue; null or absent to begin one. */
  readonly resume?: string | null;
  readonly run: AgentRun<Held>;
  readonly limits: RunLimits;
  /** By model, for an agent that reports tokens and no cost; absent: none are known. */
  readonly prices?: Readonly<Record<string, Price>>;
  /** With the agent's vendor; null or absent for an agent without one. */
  readonly account?: string | null;
  /** Aborted with a StopReason, it ends the process. */
  readonly stop: AbortSignal;
  /** Aborted with a StopReason, it ends the process unless the agent has answered; absent where nobody is spared. */
  readonly sparing?: AbortSignal;
  /** The time that a person has to answer a question of the agent; absent where nobody is asked. */
  readonly questionTimeoutMs?: number;
  /** The folder of the task and the path at which a sandbox shows it; null or absent where the agent has none. */
  readonly taskFolder?: { readonly root: string; readonly shownAt: string } | null;
  /** The files whose states are recorded after turns; null or absent where there is no git or nothing is written. */
  readonly recorded?: RecordedFolder | null;
}

/** A person or a limit of the session stops the run, or its node shuts down. */
export type StopReason = Extract<EndCause, { readonly kind: 'stop' | 'loss' }> & {
  /** An agent that has answered is not ended, and its work is checked. */
  readonly sparesAnswer?: boolean;
};

export type EndedFact = Extract<Fact, { readonly kind: 'ended' }>;

/** A running agent process. */
export interface RunningAttempt {
  /** The agent's own process; null where it exited before it was seen. */
  readonly process: { readonly pid: number; readonly startTicks: number } | null;
  /** The notice for the sender where the agent is an alternative that does not read the version of the order. */
  readonly fallback?: VersionFallback | null;
  /** The session of its vendor that the agent was told to resume. */
  readonly resumed?: string | null;
  /** A person's changes since the run before it. */
  readonly theirs?: TheirChanges | null;
  /** Resolves once the process and all its descendants are gone and its end is judged. */
  readonly ended: Promise<EndedFact>;
  /** A signal of the agent that reached the node by another way than its output. */
  receive(signal: AgentSignal): void;
  /** Passes something on to the agent while it works; false if it cannot be reached. */
  tell(told: AgentInput): boolean;
}
