import type { AgentFacts } from '../agent/agent.ts';
import type { OutOfQuota } from '../agent/quota.ts';
import type { Spend } from '../order/budget.ts';
import type { Order, SentMessage } from '../order/order.ts';
import type { OrderFlags } from '../order/order-request.ts';
import type { Report } from '../order/report.ts';
import type { RoutingChoice } from '../order/route-order.ts';
import type { OrderWarning } from '../order/warning.ts';
import type { WorkVerdict } from '../order/work-verdict.ts';
import type { FailureCode } from '../refusal.ts';
import type { SentFact } from '../remote/sent-fact.ts';
import type { RunResult } from '../task/run.ts';
import type { TaskName } from '../task/task.ts';
import type { RecordedState } from '../work/point.ts';
import type { Repository } from '../work/repository.ts';
import type { CheckResult, MadeCheck } from './check-result.ts';
import type {
  ChangedFile,
  Claim,
  GitInventory,
  KeptFile,
  LaterFiles,
  OldTests,
  RestoredFile,
  RollbackTrigger,
  SandboxName,
  SettingsFile,
  StopWhy,
  TheirChanges,
  WorkFindings,
  Workplace,
} from './findings.ts';
import type { ContinuedWork, RewoundFact, WorkFact } from './work-fact.ts';

/** How one attempt ended. */
export type AttemptEnd =
  /** It ended by itself without an error; its work is checked next. */
  | { readonly kind: 'finished'; readonly claim: Claim | null }
  /** It failed, by its own fault or by one of Baton's limits. */
  | {
      readonly kind: 'failed';
      readonly code: FailureCode;
      readonly message: string;
      readonly claim: Claim | null;
      /** Baton could not start its program: a failure of the dispatch, not of the agent. */
      readonly isNotStarted?: boolean;
      /** The cap that its cost passed, where it is not the cap of the task. */
      readonly cap?: 'day';
    }
  | OutOfQuota
  /** An operator stopped it, or its node shut down. */
  | { readonly kind: 'stopped'; readonly by: string }
  /** Its node died, or ended it in a clean stop: neither counts as a retry. */
  | { readonly kind: 'lost'; readonly isCleanStop?: boolean };

/** Findings about the text of an order, for its report. */
export interface OrderNotes {
  readonly warnings: readonly OrderWarning[];
  readonly fallback: VersionFallback | null;
  /** The choice of the agent; absent where the order named it. */
  readonly routing?: RoutingChoice;
}

/** The notice to the sender that a program cannot be given the message as it came, with the reasons and consequences. */
export interface VersionFallback {
  /** The message broke its schema, or its agent does not read its version. */
  readonly reason: 'invalid-message' | 'unread-version';
  /** Null if the message has no readable id. */
  readonly sessionId: string | null;
  readonly taskId: string | null;
  readonly fromVersion: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  readonly inputPreview: string;
  readonly featuresLost: readonly string[];
  /** RFC 3339 */
  readonly timestamp: string;
}

/**
 * The history of one round of an order. Each fact is a row of the ledger before the next step begins; a restart replays
 * them and continues from there. `lift-fact.ts` reads the facts of older versions.
 */
export type Fact =
  /** The first fact of a round. */
  | {
      readonly kind: 'ordered';
      readonly order: Order;
      /** Absent in facts of older Batons: the edge reads it from the provenance at each launch. */
      readonly message?: SentMessage;
      /** The caller's flags, for a retry by hand; absent where they were not recorded. */
      readonly request?: OrderFlags;
      /** For a retry by hand: findings about the text that the round before it was admitted with. */
      readonly notes?: OrderNotes;
      /** The work that this round continues; absent where it begins its own. */
      readonly continues?: ContinuedWork;
      readonly at: number;
    }
  | {
      readonly kind: 'admitted';
      /** The agent of the target; null if only an alternative has one. */
      readonly agent: string | null;
      /** The agent of each alternative. */
      readonly alternatives: readonly (string | null)[];
      /** Both as they were configured then; absent where that was not recorded. */
      readonly agents?: readonly AgentFacts[];
      readonly sandbox: SandboxName;
      readonly warnings: readonly OrderWarning[];
      readonly fallback: VersionFallback | null;
      /** The choice of the agent; absent where the order named it. */
      readonly routing?: RoutingChoice;
    }
  | {
      readonly kind: 'snapshotted';
      readonly workplace: Workplace;
      /** The shadow commit from before the first attempt; null without git. */
      readonly commit: string | null;
      /** The shadow commit after the checks before the work, if a program ran: the work began from there. */
      readonly checkedCommit: string | null;
      /** HEAD at that time. */
      readonly head: string | null;
      /** The repository before the work, since an agent may remove or shadow it; absent if it was not recorded. */
      readonly repository?: Repository | null;
      readonly files: readonly KeptFile[];
      readonly checks: readonly CheckResult[];
      readonly made: readonly MadeCheck[];
      /** Baton's configuration before the work; absent if it was not recorded. */
      readonly settingsFiles?: readonly SettingsFile[];
      /** Expected outputs before the work; the hash is null for a missing one. */
      readonly outputs: readonly { readonly path: string; readonly sha256: string | null }[];
      /** Tasks that it waited for, whose work its worktree had from the start; absent where there are none. */
      readonly basedOn?: readonly TaskName[];
      readonly gitInventory?: GitInventory;
      /** The saved state of branches, HEAD, index and stash; absent where it was not recorded. */
      readonly gitState?: string;
      /** The saved state of ignored files, and that after the checks before the work, if a program ran. */
      readonly ignoredState?: string;
      readonly checkedIgnored?: string;
      /** The files before the work of this round; absent without git. */
      readonly recorded?: RecordedState;
    }
  /** An attempt without a run: no agent matches the target or the alternative, or what it needs cannot be prepared. */
  | {
      readonly kind: 'unanswered';
      readonly alternative: number | null;
      readonly message: string;
      /** Absent where no agent was found. */
      readonly code?: FailureCode;
    }
  | {
      readonly kind: 'leased';
      readonly runId: string;
      readonly agent: string;
      readonly alternative: number | null;
      readonly at: number;
    }
  | {
      readonly kind: 'launched';
      readonly runId: string;
      readonly pid: number | null;
      readonly startTicks: number | null;
      /** The agent is an alternative that does not read the version of the order. */
      readonly fallback?: VersionFallback;
      /** The session of its vendor that the agent was told to resume; absent where it begins one. */
      readonly resumed?: string;
      /** A person changed something since the run before it. */
      readonly theirs?: TheirChanges;
    }
  /** The agent opened a session with its vendor, or took one up again. */
  | {
      readonly kind: 'session-opened';
      readonly runId: string;
      readonly session: string;
      readonly model: string | null;
      readonly version: string | null;
    }
  | {
      readonly kind: 'ended';
      readonly runId: string;
      readonly end: AttemptEnd;
      readonly spend: Spend & {
        readonly tokensInput: number;
        readonly tokensOutput: number;
        readonly tier: string | null;
      };
      readonly warnings: readonly OrderWarning[];
      readonly progress: { readonly at: number; readonly percentage: number } | null;
      /** The agent's completion report, if it sent one; absent in facts of older ledgers. */
      readonly report?: RunResult | null;
      /** The agent's last words about its work, where its vendor reports them. */
      readonly summary?: string;
      /** The end of what the agent said last, where it did not finish. */
      readonly lastWords?: string;
      readonly at: number;
    }
  | ({
      readonly kind: 'collected';
      readonly runId: string;
      readonly commit: string | null;
      readonly changed: readonly ChangedFile[];
      /** Paths that were written without a grant. */
      readonly violations: readonly string[];
      /** Configuration files that changed during the run and are not trusted any more. */
      readonly untrusted?: readonly string[];
      /** The files after the run; absent without git. */
      readonly recorded?: RecordedState;
    } & WorkFindings &
      LaterFiles)
  | ({
      readonly kind: 'verified';
      readonly runId: string;
      readonly results: readonly CheckResult[];
      readonly made: readonly MadeCheck[];
      /** The shadow commit after the checks; null if no program ran. */
      readonly commit: string | null;
      /** Absent if the work changed no file that judges it. */
      readonly oldTests?: OldTests;
      /** The files after the checks; absent if no program ran. */
      readonly recorded?: RecordedState;
    } & WorkFindings)
  /** The task is back in ready until its next attempt is due, or in blocked after a failed dispatch. */
  | {
      readonly kind: 'requeued';
      readonly alternative: number | null;
      /** The agent of the alternative. */
      readonly agent?: string;
      readonly dueAt: number;
      readonly reason: string;
      /** The account whose quota it waits for. */
      readonly quota?: string;
      /** The question that it waits for. */
      readonly question?: string;
      /** A person raised the cap on its cost to this. */
      readonly costUsdMax?: number;
      /** A person let it spend more than the cap of the day. */
      readonly isDayCapLifted?: true;
    }
  | { readonly kind: 'stop-requested'; readonly by: string; readonly why?: StopWhy }
  | {
      readonly kind: 'rolled-back';
      readonly trigger: RollbackTrigger;
      readonly files: readonly RestoredFile[];
      /** The shadow commit from after it; null without git. */
      readonly commit: string | null;
      /** The files after it; absent where no commit was made. */
      readonly recorded?: RecordedState;
      readonly at: number;
    }
  | {
      readonly kind: 'settled';
      readonly outcome: Outcome;
      readonly at: number;
      /** No rollback: whoever took the task over continues with its files. */
      readonly keepsFiles: boolean;
    }
  | { readonly kind: 'reported'; readonly report: Report }
  | SentFact
  | WorkFact
  | RewoundFact
  /** `baton clean` removed the saved files of the work: it can no longer be shown, applied or undone. */
  | { readonly kind: 'cleaned'; readonly by: string; readonly at: number };

/** The result of an order. */
export interface Outcome {
  readonly verdict: WorkVerdict;
  readonly code: FailureCode | null;
  readonly message: string;
  /** The failure of each attempt, if alternatives were tried. */
  readonly attempts: readonly FailedAttempt[];
  /** No agent was ever started for it, and Baton no longer tries: its task goes to deadletter (aof:dispatch). */
  readonly isGivenUp?: boolean;
  /** Absent where nobody stopped it, and in facts of older Batons: see `judgementOf`. */
  readonly stoppedBy?: string;
  /** It never started, because a task that it depends on failed. */
  readonly isSkipped?: true;
}

export interface FailedAttempt {
  readonly agent: string | null;
  readonly provider: string;
  readonly model: string;
  readonly code: FailureCode;
  readonly message: string;
}
