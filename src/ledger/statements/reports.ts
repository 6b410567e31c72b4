import type { ModelUsage } from '../../domain/agent/model-spend.ts';
import { recordCode } from '../../domain/failure-code.ts';
import type { DayEnd } from '../../domain/notice/day-report.ts';
import type { WorkVerdict } from '../../domain/order/work-verdict.ts';
import { failureCodeOf, type RefusalCode } from '../../domain/refusal.ts';
import type { OrderEnd } from '../../domain/session/session-report.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { WorkState } from '../../domain/work/work-state.ts';
import type { Reader, Tuple, Tx } from '../tx.ts';
import type { OrderRow } from './orders.ts';

/** The end of an order in short, for sums over many orders. Its report itself is the last fact of its round. */
export interface ReportRow extends OrderEnd {
  /** AOP's category of the task; null where its order names none. */
  readonly category: string | null;
  /** The root of the repository, or the folder of the work. */
  readonly repository: string | null;
}

const COLUMNS = `agent, category, repository, verdict, is_skipped, code, message, attempts, started_at, completed_at,
  estimated_usd, spend, stopped_by`;

/** Reads the columns from `at` on. */
export function toOrderEnd(tuple: Tuple, at: number): ReportRow {
  return {
    agent: tuple[at] as string,
    category: tuple[at + 1] as string | null,
    repository: tuple[at + 2] as string | null,
    verdict: tuple[at + 3] as WorkVerdict,
    isSkipped: tuple[at + 4] === 1,
    code: tuple[at + 5] === null ? null : failureCodeOf(tuple[at + 5] as RefusalCode),
    message: tuple[at + 6] as string,
    attempts: tuple[at + 7] as number,
    startedAt: tuple[at + 8] as number,
    completedAt: tuple[at + 9] as number,
    estimatedUsd: tuple[at + 10] as number,
    spend: JSON.parse(tuple[at + 11] as string) as readonly ModelUsage[],
    stoppedBy: tuple[at + 12] as string | null,
  };
}

export function insertReport(tx: Tx, { taskId, round, sessionId }: OrderRow, end: ReportRow): void {
  tx.write(
    `INSERT INTO reports (task_id, round, session_id, cost_usd, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    taskId,
    round,
    sessionId,
    end.spend.reduce((sum, { costUsd }) => sum + costUsd, 0),
    end.agent,
    end.category,
    end.repository,
    end.verdict,
    end.isSkipped ? 1 : 0,
    end.code && recordCode(end.code),
    end.message,
    end.attempts,
    end.startedAt,
    end.completedAt,
    end.estimatedUsd,
    JSON.stringify(end.spend),
    end.stoppedBy,
  );
}

/** The columns of `toOrderEnd`, of a table with this name. */
export function reportColumns(table: string): string {
  return COLUMNS.split(',')
    .map((column) => `${table}.${column.trim()}`)
    .join(', ');
}

/** The spend of every reported order of a session, with its task and round. */
export function selectSessionSpend(tx: Reader, sessionId: string) {
  const sql = 'SELECT task_id, round, spend FROM reports WHERE session_id = ? ORDER BY task_id, round';
  return tx.tuples(sql, sessionId).map(([taskId, round, spend]) => ({
    taskId: taskId as string,
    round: round as number,
    spend: JSON.parse(spend as string) as readonly ModelUsage[],
  }));
}

const SELECT_SINCE = `SELECT reports.task_id, reports.round, reports.session_id, tasks.title, tasks.work, ${reportColumns('reports')}
  FROM reports INDEXED BY reports_by_end JOIN tasks ON tasks.id = reports.task_id
  WHERE reports.completed_at >= ? ORDER BY reports.completed_at LIMIT ?`;

/** Orders that ended since an instant, oldest first. */
export function selectReportsSince(tx: Reader, sinceMs: number, limit: number): DayEnd[] {
  return tx.tuples(SELECT_SINCE, sinceMs, limit).map((tuple) => ({
    ...toOrderEnd(tuple, 5),
    task: tuple[0] as TaskName,
    round: tuple[1] as number,
    sessionId: tuple[2] as string | null,
    title: tuple[3] as string,
    work: tuple[4] as WorkState | null,
  }));
}

const SELECT_NEWEST = `SELECT ${reportColumns('reports')} FROM reports INDEXED BY reports_by_end ORDER BY completed_at DESC LIMIT ?`;

/** Ended orders, newest first. */
export function selectNewestReports(tx: Reader, limit: number): ReportRow[] {
  return tx.tuples(SELECT_NEWEST, limit).map((tuple) => toOrderEnd(tuple, 0));
}

/** Among so many ended orders, newest first, those of one repository. */
const SELECT_NEWEST_IN = `SELECT newest.task_id, newest.round, tasks.work FROM
  (SELECT task_id, round, repository FROM reports INDEXED BY reports_by_end ORDER BY completed_at DESC LIMIT ?) AS newest
  JOIN tasks ON tasks.id = newest.task_id WHERE newest.repository = ?`;

/** The newest ended orders of a repository, with what became of their work. */
export function selectNewestOrdersIn(tx: Reader, repository: string, limit: number) {
  return tx.tuples(SELECT_NEWEST_IN, limit, repository).map(([taskId, round, work]) => ({
    taskId: taskId as TaskName,
    round: round as number,
    work: work as WorkState | null,
  }));
}
