import type { Signal, StateSignal } from '../../domain/order/record-words.ts';
import type { CombinedVerdict, WorkVerdict } from '../../domain/order/work-verdict.ts';
import type { EvidenceKind } from '../../domain/session/session-report.ts';
import type { SessionPattern, SessionStop } from '../../domain/session/session-terms.ts';
import type { WorkPlace } from '../../domain/work/work-state.ts';

// Sessions as programs see them: what --json prints and what goes over HTTP. The names are those of AOP.

/** The state of a whole session; PENDING before its first task starts. */
export type SessionState = Exclude<StateSignal, 'SKIPPED'>;

/** A session in a list. */
export interface SessionLine {
  readonly session_id: string;
  /** For people; empty where it has none. */
  readonly name: string;
  readonly state: SessionState;
  /** Open, and no node runs it: `baton session continue` or the next node continues it. */
  readonly is_interrupted: boolean;
  readonly pattern: SessionPattern;
  /** Null while it is open. */
  readonly final_signal: Signal | null;
  /** The worst of its tasks; null while it is open. */
  readonly verdict: CombinedVerdict | null;
  readonly stopped: SessionStop | null;
  readonly totals: {
    readonly tasks: number;
    readonly completed: number;
    readonly failed: number;
    readonly aborted: number;
    readonly skipped: number;
    readonly running: number;
    readonly waiting: number;
  };
  /** US dollars, of ended runs. */
  readonly cost: number;
  readonly created_at: string;
  readonly ended_at: string | null;
}

export interface SessionPage {
  readonly sessions: readonly SessionLine[];
  /** The number to continue before; null on the last page. */
  readonly next: number | null;
}

/** A task of a session. */
export interface SessionTaskView {
  /** The sender's name for it. */
  readonly task_id: string;
  /** TASK-…, Baton's own name. */
  readonly id: string;
  readonly title: string;
  readonly agent: string | null;
  readonly state: StateSignal;
  readonly final_signal: Signal | null;
  /** Null while it is open. */
  readonly verdict: WorkVerdict | null;
  /** The actor that stopped it before its end; null where nobody did. */
  readonly stopped_by: string | null;
  readonly error_code: string | null;
  /** The reason of its end; empty while it is open. */
  readonly message: string;
  readonly unchecked: boolean;
  readonly attempts: number;
  readonly depends_on: readonly string[];
  readonly parent_task_id: string | null;
  readonly depth: number;
  readonly duration_seconds: number;
  /** US dollars. */
  readonly cost: number;
  /** The place of its work, or what became of it; null while it is open, and where it changed no file. */
  readonly work: WorkPlace | null;
  /** The branch that its work was committed to. */
  readonly branch: string | null;
}

export interface CostSummaryView {
  readonly estimated_cost_usd: number;
  readonly actual_cost_usd: number;
  readonly tokens_input: number;
  readonly tokens_output: number;
  /** US dollars. */
  readonly by_provider: Readonly<Record<string, number>>;
  readonly by_model: Readonly<Record<string, number>>;
}

/** Something in the work of a task that its checks do not settle. */
export interface SessionEvidenceView {
  readonly kind: EvidenceKind;
  readonly task_id: string;
  readonly id: string;
  readonly text: string;
  /** Files, or checks. */
  readonly details: readonly string[];
}

export interface SessionView extends SessionLine {
  /** Riskiest first; empty until its final report. */
  readonly evidence: readonly SessionEvidenceView[];
  /** Checked tasks whose work waits in a worktree. */
  readonly to_apply: readonly string[];
  readonly tasks: readonly SessionTaskView[];
  readonly cost_summary: CostSummaryView;
  readonly limits: {
    readonly max_cost_usd: number | null;
    readonly deadline_seconds: number | null;
    readonly at_once: number | null;
  };
}

export interface SessionAnswer {
  readonly session_id: string;
  /** TASK-… names, in the order of the file. */
  readonly tasks: readonly string[];
}

export interface SessionReportAnswer {
  readonly session_id: string;
  /** SESSION_FINAL_REPORT; null while the session is open. */
  readonly report: Readonly<Record<string, unknown>> | null;
}

export interface AppliedMember {
  readonly task_id: string;
  readonly id: string;
  readonly files: readonly string[];
}

/** The task at which merging stopped. */
export interface ApplyConflict {
  readonly task_id: string;
  readonly id: string;
  readonly code: string;
  readonly message: string;
  /** The files. */
  readonly details: readonly string[];
  /** The tasks on the other side; none where it is the user's own change. */
  readonly with: readonly { readonly task_id: string; readonly id: string }[];
  /** The task that an agent got to resolve it; null where nobody asked for one. */
  readonly resolved_in: string | null;
}

export interface ElsewhereWork {
  readonly task_id: string;
  readonly id: string;
  readonly work: WorkPlace;
  readonly branch: string | null;
}

/** The work of a session that was merged now, and the task at which it stopped. */
export interface AppliedSession {
  readonly session_id: string;
  readonly applied: readonly AppliedMember[];
  /** Null where the work went into the files. */
  readonly branch: string | null;
  readonly commit: string | null;
  /** Null if all waiting work of checked tasks was merged. */
  readonly conflict: ApplyConflict | null;
  /** Tasks whose work waits and is not checked: it is not merged. */
  readonly unchecked: readonly string[];
  /** Checked work that is not where this call puts it: it was applied to the files, or to a branch, before. */
  readonly elsewhere: readonly ElsewhereWork[];
  /** The checks of the session on the merged work; null where it has none, or nothing was merged whole. */
  readonly checks: {
    readonly is_passed: boolean;
    readonly results: readonly {
      readonly id: string;
      readonly result: string;
      readonly message: string;
      readonly tail: string;
    }[];
  } | null;
}
