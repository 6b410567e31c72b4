import type { WorkVerdict } from '../../domain/order/work-verdict.ts';
import type { ReviewGlance } from '../../domain/review/describe-review.ts';
import type { RunGlance } from '../../domain/task/run-glance.ts';
import type { TaskStatus } from '../../domain/task/task-lifecycle.ts';
import type { OverlapView, RunView, TaskLine } from '../contract.ts';
import type { VerdictView } from '../order/verdict-view.ts';
import type { AttentionView } from '../review/review-contract.ts';
import type { RemoteView } from '../task/remote-view.ts';
import type { TaskWait } from '../task/task-wait.ts';

// The first page of the dashboard. Instants are RFC 3339.

/** Everything that a person needs to see first, of one instant. */
export interface Overview {
  /** The data folder. */
  readonly data: string;
  /** The folder that agents work in unless an order names another. */
  readonly workspace: string;
  /** The node's own clock. */
  readonly at: string;
  /** Names this log: a stream that continues after `lastEvent` belongs to it. */
  readonly project: string;
  /** The newest event that this answer knows of. */
  readonly lastEvent: number;
  readonly counts: Readonly<Partial<Record<TaskStatus, number>>>;
  /** The statuses that a task may move to from each. */
  readonly moves: Readonly<Record<TaskStatus, readonly TaskStatus[]>>;
  readonly spend: SpendToday;
  readonly agents: readonly AgentState[];
  readonly needsYou: readonly NeedsYou[];
  readonly running: readonly RunningTask[];
  readonly waiting: readonly WaitingTask[];
  /** Finished today, or still to be applied; those first. */
  readonly finished: readonly FinishedTask[];
  readonly totals: OverviewTotals;
}

/** The lists have an end; these are the numbers of all. */
export interface OverviewTotals {
  readonly needsYou: number;
  readonly running: number;
  readonly waiting: number;
  readonly finished: number;
}

export interface SpendToday {
  /** The beginning of the day on the node's clock. */
  readonly since: string;
  readonly usd: number;
  /** The cap of the configuration; null without one. */
  readonly usdMax: number | null;
  readonly byModel: readonly ModelSpend[];
}

export interface ModelSpend {
  readonly agent: string;
  /** As the vendor named it for a run, else as configured. */
  readonly model: string;
  readonly usd: number;
  readonly tokensInput: number;
  readonly tokensOutput: number;
  readonly runs: number;
}

/** An agent that is set up here, in short. */
export interface AgentState {
  readonly name: string;
  readonly driver: string;
  readonly model: string;
  readonly isDefault: boolean;
  readonly running: number;
  /** Its vendor refuses work until then; null while it serves. */
  readonly outUntil: string | null;
  readonly outBecause: string | null;
}

/** The result of the last round of a task. */
export interface WorkSummary extends VerdictView<WorkVerdict> {
  readonly agent: string;
  readonly model: string;
  /** The verdict in one sentence. */
  readonly message: string;
  /** The agent's own account; null where it gave none. */
  readonly account: string | null;
  readonly checks: { readonly passed: number; readonly total: number };
  readonly files: number;
  readonly lines: { readonly added: number; readonly removed: number } | null;
  /** Files that judge the work, such as tests, and were changed by it. */
  readonly judgingFiles: readonly string[];
  readonly durationMs: number;
  readonly costUsd: number;
  readonly tokens: number;
  readonly endedAt: string;
}

/** An entry of the attention queue, with its task and the work that it is about. */
export interface NeedsYou extends AttentionView {
  readonly line: TaskLine | null;
  readonly work: WorkSummary | null;
  /** The points that a person made before, and the review by other agents. */
  readonly reviews: readonly ReviewGlance[];
}

export interface RunningTask extends TaskLine, RunGlance {
  readonly run: RunView | null;
  /** Another node runs it, or asked for it. */
  readonly remote: RemoteView | null;
  /** As its vendor names it; null until it has named one. */
  readonly model: string | null;
  /** Baton ends the run then; null where it sets no limit. */
  readonly endsAt: string | null;
  /** Others that change the same files. */
  readonly overlaps: readonly OverlapView[];
  /** The number of this attempt and of all that the order allows. */
  readonly attempt: number;
  readonly attempts: number;
}

export interface WaitingTask extends TaskLine, TaskWait {
  /** Open tasks that it depends on. */
  readonly after: readonly { readonly id: string; readonly title: string }[];
}

export interface FinishedTask extends TaskLine {
  readonly summary: WorkSummary;
}

/** A file that the work of a task changed. */
export interface FoundFile {
  readonly path: string;
  readonly status: string;
  readonly task: string;
  readonly title: string;
  readonly agent: string | null;
  readonly at: string;
}

export interface SearchAnswer {
  /** Newest first. */
  readonly tasks: readonly TaskLine[];
  /** The last change first. */
  readonly files: readonly FoundFile[];
  /** The number of newest tasks whose files were looked at. */
  readonly lookedAt: number;
}
