import type { WorkFact } from '../../domain/execution/work-fact.ts';
import type { OrderPlan } from '../../domain/order/order-request.ts';
import type { Report } from '../../domain/order/report.ts';
import type { OrderWarning } from '../../domain/order/warning.ts';
import type { RefusalCode } from '../../domain/refusal.ts';
import type { StoryEntry } from '../../domain/trace/story-entry.ts';
import type { ComparedCheck } from '../../domain/work/compare-checks.ts';
import type { OverlapView } from '../contract.ts';
import type { TaskView } from '../task/task-view.ts';
import type { VerdictView } from './verdict-view.ts';

export interface OrderAnswer {
  readonly task: TaskView;
  readonly plan: OrderPlan;
}

/** A task that runs as soon as it can start. */
export interface RunTaskAnswer {
  readonly task: TaskView;
  /** Null for a round that continues and cannot be planned any more. */
  readonly plan: OrderPlan | null;
}

/** The fields of a report that a person is shown. */
export interface ReportSummary extends Pick<Report, 'run' | 'message' | 'commits'> {
  readonly code: RefusalCode | null;
  /** A suggestion for the failure; null where its code is unknown. */
  readonly hint: string | null;
  /** The agent's own account; null where it gave none. */
  readonly account: string | null;
  readonly warnings: readonly OrderWarning[];
  readonly durationMs: number;
  readonly runs: number;
  readonly costUsd: number;
  readonly tokens: number;
}

export interface HandledWork extends Pick<WorkFact, 'kind' | 'by' | 'folder' | 'branch'> {
  readonly files: number;
  /** Things that were put back beside files, such as `8 ignored files` and `the branch main`. */
  readonly beside: readonly string[];
  readonly at: string;
}

export interface OrderReport extends VerdictView {
  readonly task: TaskView;
  /** The number of the round that it is about, from 1. */
  readonly round: number;
  /** Settled and reported: the report is final. */
  readonly isOver: boolean;
  /** The AOP RESPONSE. */
  readonly response: Readonly<Record<string, unknown>> | null;
  /** The report in short; null until the order is over. */
  readonly summary: ReportSummary | null;
  readonly checks: readonly ComparedCheck[];
  /** The checks that did not pass after the last attempt, with the end of their output; `message` leaves the id out. */
  readonly failures: readonly { readonly id: string; readonly message: string; readonly tail: string }[];
  readonly changed: readonly { readonly path: string; readonly status: string }[];
  /** Sentences about what the work did to git itself: branches, tags, HEAD, index, stash. */
  readonly git: readonly string[];
  /** Sentences about files that git ignores, by their names alone. */
  readonly ignored: readonly string[];
  /** `staleFiles` no longer are as they were reported; empty for work that was undone or discarded. */
  readonly receipt: { readonly file: string; readonly staleFiles: readonly string[] } | null;
  /** Each time that the work was applied, undone or discarded, oldest first; `files` is their number. */
  readonly handled: readonly HandledWork[];
  /** When `baton clean` removed the saved files of the work; null while they are there. */
  readonly cleanedAt: string | null;
  readonly workplace: { readonly kind: 'in-place' | 'worktree'; readonly folder: string } | null;
}

/** A step in the story of a run. */
export interface LogEntry extends Omit<StoryEntry, 'at'> {
  /** Null for output whose time was not recorded. */
  readonly at: string | null;
}

export interface LogPage {
  readonly text: string;
  /** The lines of the text, counted from 0, that begin a run: Baton wrote them, the others are output. */
  readonly headings: readonly number[];
  /** The output as entries; empty for the raw log. */
  readonly entries: readonly LogEntry[];
  /** The position of this page: `before` reads the one before it. */
  readonly start: number;
  /** The position to continue from. */
  readonly next: number;
  /** The run has ended, and this is its last page. */
  readonly isEnd: boolean;
}

export interface DiffAnswer {
  readonly task: string;
  /** The workspace within its repository; empty for the root. A report names files from there, a diff from the root. */
  readonly inside: string;
  readonly from: string;
  readonly to: string;
  readonly files: readonly {
    readonly path: string;
    readonly status: string;
    readonly added: number | null;
    readonly removed: number | null;
  }[];
  /** As in the report. */
  readonly git: readonly string[];
  readonly ignored: readonly string[];
  readonly text: string;
}

export interface WorkAnswer {
  readonly task: string;
  /** The root of the repository whose files these are. */
  readonly folder: string;
  /** Files that were written, restored or skipped. */
  readonly files: readonly string[];
  readonly branch: string | null;
  readonly commit: string | null;
  /** The commit that holds the files from before. */
  readonly keptAs: string | null;
  /** The folder of git objects that has this commit: it is not in the user's repository. */
  readonly keptIn: string | null;
  /** Files with later changes that an undo overwrote: `keptAs` holds them. */
  readonly saved: readonly string[];
  /** Branches, index, stash and the like that an undo put back, such as `the branch main`. */
  readonly git: readonly string[];
  /** Ignored files that an undo put back or removed; their state before it is in `asideFolder`. */
  readonly ignored: readonly string[];
  readonly asideFolder: string | null;
  /** Files that the checks wrote, not the agent, and that an undo put back or removed. */
  readonly ofChecks: readonly string[];
  /** The files among them that the user changed later. */
  readonly savedIgnored: readonly string[];
  /** Things that an undo left as they are, with the reason. */
  readonly left: readonly string[];
  /** Commits that branches or HEAD were at before an undo, of a nested repository with its path: git keeps them for some weeks. */
  readonly keptCommits: readonly {
    readonly name: string;
    readonly commit: string;
    readonly nested?: string | undefined;
  }[];
  /** Other waiting work, and live runs, that change the files of applied work. */
  readonly overlaps: readonly OverlapView[];
}

/** The checks with the files that judge the work as they were before it. */
export interface OldTestsView {
  readonly files: readonly string[];
  /** The files among them that the work added. */
  readonly added?: readonly string[] | undefined;
  readonly result: string;
  readonly message: string;
}

export interface VerifyAnswer {
  readonly task: string;
  /** Every check passes, and not only with the tests that the work changed. */
  readonly isPassed: boolean;
  /** The finding of the run about the tests as they were before; null if the work changed none. */
  readonly oldTests: OldTestsView | null;
  readonly results: readonly {
    readonly id: string;
    readonly kind: string;
    readonly result: string;
    readonly message: string;
    /** The message for a list that shows the id. */
    readonly why?: string | undefined;
    readonly exitCode: number | null;
    readonly tail: string;
  }[];
}

/** A check that Baton ran, with the end of its output. */
export interface CheckView {
  readonly id: string;
  readonly kind: string;
  readonly result: string;
  readonly message: string;
  readonly exitCode: number | null;
  readonly tail: string;
  readonly durationMs: number;
}

/** One try at the order, and its checks. */
export interface AttemptView {
  readonly run: string | null;
  readonly agent: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** How it ended: finished, failed, out-of-quota, stopped, lost; null while it runs. */
  readonly end: string | null;
  readonly message: string | null;
  readonly costUsd: number;
  readonly tokensInput: number;
  readonly tokensOutput: number;
  /** Files that it changed; null until they were counted. */
  readonly changed: number | null;
  readonly checks: readonly CheckView[];
}

export interface ReceiptView {
  readonly file: string;
  /** `stale`: files changed since it was signed. */
  readonly verdict: 'valid' | 'broken' | 'unknown_key' | 'stale';
  /** The reason why it is broken; null if it is not. */
  readonly reason: string | null;
  readonly keyId: string | null;
  /** A key of this node signed it. */
  readonly isOwnKey: boolean;
  readonly staleFiles: readonly string[];
  /** As it is signed; null for a broken one. */
  readonly content: Readonly<Record<string, unknown>> | null;
}

/** Everything that the verdict on the last round of a task is made of. */
export interface Evidence {
  readonly task: string;
  /** The checks before the work. */
  readonly before: readonly CheckView[];
  /** Oldest first. */
  readonly attempts: readonly AttemptView[];
  /** The checks with the earlier versions of files that judge the work; null if it changed none. */
  readonly oldTests: OldTestsView | null;
  readonly receipt: ReceiptView | null;
}
