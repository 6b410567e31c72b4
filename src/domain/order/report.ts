import type { Provider } from '../agent/agent.ts';
import type { ModelUsage } from '../agent/model-spend.ts';
import type {
  ChangedFile,
  Claim,
  GitSearch,
  OldTests,
  RestoredFile,
  SandboxName,
  Workplace,
} from '../execution/findings.ts';
import type { FailureCode } from '../refusal.ts';
import type { RunResult } from '../task/run.ts';
import type { ComparedCheck } from '../work/compare-checks.ts';
import type { GitChange } from '../work/git-state.ts';
import type { IgnoredChange } from '../work/ignored-files.ts';
import type { OrderWarning } from './warning.ts';
import type { WorkJudgement, WorkVerdict } from './work-verdict.ts';

/** A file that the work changed, or an expected one that it did not. */
export interface ReportedFile extends Pick<ChangedFile, 'sha256' | 'sizeBytes'> {
  /** FILE, DIRECTORY or the sender's own type of an expected output. */
  readonly type: string;
  readonly path: string;
  readonly status: ChangedFile['status'] | 'unchanged';
}

export interface ReportedCheckpoint {
  readonly id: string;
  readonly status: 'passed' | 'failed' | 'skipped' | 'pending';
  /** The output of its validation; null where it was not verified. */
  readonly output: string | null;
  readonly evidence: readonly string[];
  readonly notes: string;
}

export interface ReportedAttempt {
  /** Counted from one. */
  readonly number: number;
  readonly run: string | null;
  readonly agent: string | null;
  readonly provider: string;
  readonly model: string;
  readonly code: FailureCode | null;
  readonly message: string;
}

/** The work of all rounds in the user's own files that nobody approved or undid yet. */
export interface WholeWork {
  /** Paths as an attempt's findings have them, from the workspace. */
  readonly files: readonly { readonly path: string; readonly status: 'created' | 'updated' | 'deleted' }[];
  /** Paths that were written without a grant. */
  readonly violations: readonly string[];
}

/** The result of an order by Baton's own findings, with the agent's claim as a separate field. */
export interface Report extends GitSearch, Pick<WorkJudgement<WorkVerdict>, 'verdict' | 'isSkipped'> {
  /** TASK-…, Baton's own name. */
  readonly task: string;
  /** The last run; null if there was none. */
  readonly run: string | null;
  /** The agent of the last attempt, else the target. */
  readonly agent: { readonly name: string; readonly provider: Provider; readonly model: string };
  /** Null where nobody stopped it; absent from reports of older ledgers. */
  readonly stoppedBy?: string | null;
  readonly code: FailureCode | null;
  readonly message: string;
  readonly summary: string;
  readonly summaryBy: 'agent' | 'baton';
  readonly actions: readonly string[];
  readonly actionsBy: 'agent' | 'baton';
  readonly warnings: readonly OrderWarning[];
  readonly errors: readonly string[];
  readonly files: readonly ReportedFile[];
  /** The work with that of earlier rounds in the same files; absent where this round is the only one, and from older ledgers. */
  readonly whole?: WholeWork;
  /** The lines that the whole work added and removed; absent without git, and from older ledgers. */
  readonly lines?: { readonly added: number; readonly removed: number };
  readonly commits: { readonly before: string | null; readonly after: string | null };
  readonly checks: readonly ComparedCheck[];
  readonly checkpoints: readonly ReportedCheckpoint[];
  readonly attempts: readonly ReportedAttempt[];
  /** Over all attempts, as their agents reported it. */
  readonly spend: {
    readonly costUsd: number;
    readonly estimatedUsd: number;
    readonly tokensInput: number;
    readonly tokensOutput: number;
    readonly tier: string | null;
  };
  /** The same by model; absent from reports of older ledgers. */
  readonly spendByModel?: readonly ModelUsage[];
  readonly progress: { readonly at: number | null; readonly percentage: number };
  /** Milliseconds since 1970. */
  readonly timing: { readonly startedAt: number; readonly completedAt: number; readonly retries: number };
  readonly claim: Pick<Claim, 'result' | 'code' | 'message' | 'extensions' | 'summaryExtensions'> | null;
  /** The agent's completion report, if it sent one. */
  readonly agentReport: Pick<RunResult, 'outcome' | 'summaryRef' | 'blockers' | 'tests' | 'notes'> | null;
  readonly rollback: readonly RestoredFile[];
  /** Paths that were written without a grant. */
  readonly violations: readonly string[];
  /** The checks with the earlier versions of files that judge the work; null if the work changed none. */
  readonly oldTests?: OldTests | null;
  /** Changes by the work of branches, tags, HEAD, index and stash; absent from reports of older ledgers. */
  readonly gitChanges?: readonly GitChange[];
  /** Ignored files that the work changed, by name alone; absent from reports of older ledgers. */
  readonly ignoredChanges?: readonly IgnoredChange[];
  readonly sandbox: SandboxName | null;
  readonly workplace: Workplace['kind'] | null;
  /** The path of the receipt; null where there is none. */
  readonly receipt: string | null;
}
