import type { AgentStats } from '../../domain/agent/agent-stats.ts';
import type { WorkVerdict } from '../../domain/order/work-verdict.ts';
import type { VerdictView } from '../order/verdict-view.ts';
import type { AttentionList } from '../review/review-contract.ts';
import type { SessionLine } from '../session/session-contract.ts';

/** A task whose order ended within the time of a report. */
export interface ReportedEnd extends VerdictView<WorkVerdict> {
  readonly id: string;
  readonly title: string;
  readonly agent: string;
  readonly sessionId: string | null;
  readonly code: string | null;
  readonly message: string;
  /** The work waits in a worktree, or was applied, undone or discarded; null where it is in the files. */
  readonly work: string | null;
  /** US dollars; 0 where its agent reported none. */
  readonly costUsd: number;
  readonly endedAt: string;
}

/** The morning page: what is done, what is not and why, what it cost, and what a person has to decide. */
export interface DayReportAnswer {
  readonly since: string;
  readonly until: string;
  readonly done: readonly ReportedEnd[];
  readonly unproven: readonly ReportedEnd[];
  readonly notDone: readonly ReportedEnd[];
  readonly running: number;
  readonly waiting: number;
  /** Sessions that began or ended since. */
  readonly sessions: readonly SessionLine[];
  readonly cost: {
    readonly usd: number;
    readonly tokensInput: number;
    readonly tokensOutput: number;
    readonly byProvider: Readonly<Record<string, number>>;
    readonly byModel: Readonly<Record<string, number>>;
  };
  /** The time that the machine slept while a node ran. */
  readonly asleepMs: number;
  readonly attention: AttentionList;
  /** Tasks whose work waits to be applied. */
  readonly toApply: readonly string[];
}

export interface AgentStatsAnswer {
  readonly stats: readonly AgentStats[];
}
