import type { Now } from '../../domain/now.ts';
import type { Run, RunResult, RunStatus } from '../../domain/task/run.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { NewRow, RowUpdate } from '../pending-rows.ts';
import { type Reader, type Tuple, Tx } from '../tx.ts';

/** In the order that `toRun` reads them. */
const RUN_COLUMNS = `id, task_id, fence, agent, status, started_at, ended_at, end_reason, boot_id, lease_expires_mono,
  lease_expires_at, beat_expires_mono, beat_expires_at, last_beat_at, beats, pid, pid_start, result`;

function toRun(tuple: Tuple): Run {
  const bootId = tuple[8] as string;
  const pid = tuple[15] as number | null;
  const result = tuple[17] as string | null;
  return {
    id: tuple[0] as string,
    taskId: tuple[1] as TaskName,
    fence: tuple[2] as number,
    agent: tuple[3] as string,
    status: tuple[4] as RunStatus,
    startedAt: tuple[5] as number,
    endedAt: tuple[6] as number | null,
    endReason: tuple[7] as string | null,
    leaseExpires: { bootId, monotonicMs: tuple[9] as number },
    leaseExpiresAt: tuple[10] as number,
    heartbeatExpires: { bootId, monotonicMs: tuple[11] as number },
    heartbeatExpiresAt: tuple[12] as number,
    lastBeatAt: tuple[13] as number,
    beats: tuple[14] as number,
    process: pid === null ? null : { pid, startTicks: tuple[16] as number },
    result: result === null ? null : (JSON.parse(result) as RunResult),
  };
}

const RUN: NewRow = {
  table: 'runs',
  into: `INSERT INTO runs (id, task_id, fence, agent, status, started_at, ended_at, end_reason, boot_id,
    lease_expires_mono, lease_expires_at, beat_expires_mono, beat_expires_at, last_beat_at, beats, pid, pid_start,
    result) VALUES`,
  row: '(?, ?, ?, ?, ?, ?, NULL, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)',
};

export function insertRun(tx: Tx, run: Run): void {
  tx.insert(
    RUN,
    run.id,
    run.taskId,
    run.fence,
    run.agent,
    run.status,
    run.startedAt,
    run.leaseExpires.bootId,
    run.leaseExpires.monotonicMs,
    run.leaseExpiresAt,
    run.heartbeatExpires.monotonicMs,
    run.heartbeatExpiresAt,
    run.lastBeatAt,
    run.beats,
    run.process?.pid ?? null,
    run.process?.startTicks ?? null,
  );
  tx.rows.keepRun(run);
}

const RUN_BEAT: RowUpdate = {
  table: 'runs',
  sql: `UPDATE runs SET boot_id = ?, lease_expires_mono = ?, lease_expires_at = ?, beat_expires_mono = ?,
    beat_expires_at = ?, last_beat_at = ?, beats = ?, result = ? WHERE id = ?`,
};

/** For a run that sent a heartbeat or its result. */
export function updateRunBeat(tx: Tx, run: Run): void {
  tx.update(
    RUN_BEAT,
    run.leaseExpires.bootId,
    run.leaseExpires.monotonicMs,
    run.leaseExpiresAt,
    run.heartbeatExpires.monotonicMs,
    run.heartbeatExpiresAt,
    run.lastBeatAt,
    run.beats,
    run.result === null ? null : JSON.stringify(run.result),
    run.id,
  );
  tx.rows.keepRun(run);
}

const RUN_END: RowUpdate = {
  table: 'runs',
  sql: 'UPDATE runs SET status = ?, ended_at = ?, end_reason = ? WHERE id = ?',
};

export function updateRunEnd(tx: Tx, run: Run): void {
  tx.update(RUN_END, run.status, run.endedAt, run.endReason, run.id);
  tx.rows.keepRun(run);
}

const UPDATE_RUN_PROCESS = 'UPDATE runs SET pid = ?, pid_start = ? WHERE id = ?';

/** For a run whose program Baton has started. */
export function updateRunProcess(tx: Tx, runId: string, process: NonNullable<Run['process']>): void {
  tx.write(UPDATE_RUN_PROCESS, process.pid, process.startTicks, runId);
  const known = tx.rows.run(runId);
  if (known) tx.rows.keepRun({ ...known, process });
}

const SELECT_RUN = `SELECT ${RUN_COLUMNS} FROM runs WHERE id = ?`;

export function selectRun(tx: Reader, id: string): Run | null {
  const known = tx instanceof Tx ? tx.rows.run(id) : undefined;
  if (known) return known;
  const tuple = tx.tuple(SELECT_RUN, id);
  const run = tuple ? toRun(tuple) : null;
  if (run && tx instanceof Tx) tx.rows.keepRun(run);
  return run;
}

/** All runs of a task, oldest first. */
export function selectRunsOfTask(tx: Reader, taskId: string): Run[] {
  return tx.tuples(`SELECT ${RUN_COLUMNS} FROM runs WHERE task_id = ? ORDER BY fence`, taskId).map(toRun);
}

/** The agent of the newest run of a task; null where it had none. */
export function selectLastAgent(tx: Reader, taskId: string): string | null {
  const tuple = tx.tuple('SELECT agent FROM runs WHERE task_id = ? ORDER BY fence DESC LIMIT 1', taskId);
  return (tuple?.[0] as string | undefined) ?? null;
}

/** Whether any run of the task was this agent's. */
export function hasRunOf(tx: Reader, taskId: string, agent: string): boolean {
  return tx.tuple('SELECT 1 FROM runs WHERE task_id = ? AND agent = ? LIMIT 1', taskId, agent) !== undefined;
}

/** Runs of open orders are left to `src/dispatch/order-runner.ts`, which decides what follows. */
const BY_HAND = 'NOT EXISTS (SELECT 1 FROM orders WHERE orders.task_id = runs.task_id AND is_open = 1)';

/** Live runs whose heartbeat has expired on the clock of this boot, oldest first. */
export function selectStaleRuns(tx: Reader, now: Now, limit: number): Run[] {
  const sql = `SELECT ${RUN_COLUMNS} FROM runs WHERE status = 'running' AND boot_id = ? AND beat_expires_mono <= ?
    AND ${BY_HAND} ORDER BY beat_expires_mono LIMIT ?`;
  return tx.tuples(sql, now.bootId, now.monotonicMs, limit).map(toRun);
}

/** Live runs that were leased before the last boot. */
export function selectRunsOfOtherBoots(tx: Reader, now: Now, limit: number): Run[] {
  const sql = `SELECT ${RUN_COLUMNS} FROM runs WHERE status = 'running' AND boot_id <> ? AND ${BY_HAND} LIMIT ?`;
  return tx.tuples(sql, now.bootId, limit).map(toRun);
}

/** Live runs of one agent. */
export function selectLiveRunsOf(tx: Reader, agent: string): Run[] {
  return tx.tuples(`SELECT ${RUN_COLUMNS} FROM runs WHERE status = 'running' AND agent = ?`, agent).map(toRun);
}

/** Tasks that a live run holds. */
export function selectRunningTasks(tx: Reader, limit: number): TaskName[] {
  return tx.tuples("SELECT task_id FROM runs WHERE status = 'running' LIMIT ?", limit).map(([id]) => id as TaskName);
}

/** The run that holds a task now. */
export function liveRunOf(tx: Reader, task: Pick<Task, 'runId'>): Run | null {
  const run = task.runId === null ? null : selectRun(tx, task.runId);
  return run?.status === 'running' ? run : null;
}

export interface RunFilter {
  readonly taskId: string | null;
  readonly liveOnly: boolean;
}

/** One page in the order the runs were started, above a run's id; the caller continues after the last id. */
export function selectRunPage(
  tx: Reader,
  { taskId, liveOnly }: RunFilter,
  page: { readonly after: string; readonly limit: number },
): Run[] {
  // Only conditions that are asked for are part of the statement, so that each combination uses its index.
  const where = ['id > ?', ...(taskId === null ? [] : ['task_id = ?']), ...(liveOnly ? ["status = 'running'"] : [])];
  const values = taskId === null ? [page.after] : [page.after, taskId];
  const sql = `SELECT ${RUN_COLUMNS} FROM runs WHERE ${where.join(' AND ')} ORDER BY id LIMIT ?`;
  return tx.tuples(sql, ...values, page.limit).map(toRun);
}
