import type { EventType, LedgerEvent } from '../../domain/ledger-event.ts';
import { EVENTS_PER_PAGE_MAX } from '../../domain/limits.ts';
import type { TaskName } from '../../domain/task.ts';
import type { NewRow } from '../pending-rows.ts';
import type { Reader, Row, Tx } from '../tx.ts';

export interface NewEvent {
  readonly type: EventType;
  readonly actor: string;
  readonly taskId: TaskName | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

const EVENT: NewRow = {
  table: 'events',
  into: 'INSERT INTO events (seq, id, type, at, actor, task_id, payload) VALUES',
  row: '(?, ?, ?, ?, ?, ?, ?)',
};

/** One row of the one log, written with the others of its batch. */
export function insertEvent(tx: Tx, event: NewEvent): LedgerEvent {
  const { now, ids } = tx.moment;
  const id = ids.uuid();
  const { type, actor, taskId, payload } = event;
  const seq = tx.nextSeq();
  tx.insert(EVENT, seq, id, type, now.wallMs, actor, taskId, JSON.stringify(payload));
  return { seq, id, type, at: now.wallMs, actor, taskId, payload };
}

const COLUMNS = 'seq, id, type, at, actor, task_id, payload';

/** One page in order, above `after`. */
export function selectEvents(tx: Reader, after: number, limit = EVENTS_PER_PAGE_MAX): LedgerEvent[] {
  return tx.all(`SELECT ${COLUMNS} FROM events WHERE seq > ? ORDER BY seq LIMIT ?`, after, limit).map(toEvent);
}

export interface EventsFilter {
  readonly after: number;
  readonly limit: number;
  readonly taskId: string | null;
  /** Leaves out what is older, in milliseconds since 1970. */
  readonly sinceMs: number;
}

/** The same, of one task or since an instant. */
export function selectEventsThat(tx: Reader, { after, limit, taskId, sinceMs }: EventsFilter): LedgerEvent[] {
  const rest = 'seq > ? AND at >= ? ORDER BY seq LIMIT ?';
  return (
    taskId === null
      ? tx.all(`SELECT ${COLUMNS} FROM events WHERE ${rest}`, after, sinceMs, limit)
      : tx.all(`SELECT ${COLUMNS} FROM events WHERE task_id = ? AND ${rest}`, taskId, after, sinceMs, limit)
  ).map(toEvent);
}

/** Newest first, from `seq` down: when each event was. */
export function selectEventInstants(tx: Reader, seq: number, limit: number): { seq: number; at: number }[] {
  const sql = 'SELECT seq, at FROM events WHERE seq <= ? ORDER BY seq DESC LIMIT ?';
  return tx.all(sql, seq, limit) as unknown as { seq: number; at: number }[];
}

export function lastSeq(tx: Reader): number {
  return Number(tx.one('SELECT max(seq) AS seq FROM events')?.seq ?? 0);
}

function toEvent(row: Row): LedgerEvent {
  return {
    seq: row.seq as number,
    id: row.id as string,
    type: row.type as EventType,
    at: row.at as number,
    actor: row.actor as string,
    taskId: row.task_id as TaskName | null,
    payload: JSON.parse(row.payload as string) as Record<string, unknown>,
  };
}

/** Did this task's last report come before its last move? */
export function isReportBeforeLastMove(tx: Reader, taskId: string): boolean {
  const sql = `SELECT type FROM events WHERE task_id = ? AND type IN ('task.completed', 'task.transitioned')
    ORDER BY seq DESC LIMIT 1`;
  return tx.one(sql, taskId)?.type === 'task.transitioned';
}

/** What was said with a task's last move; null where nothing was. */
export function selectLastReason(tx: Reader, taskId: string): string | null {
  const sql = `SELECT payload ->> 'reason' AS reason FROM events
    WHERE task_id = ? AND type = 'task.transitioned' ORDER BY seq DESC LIMIT 1`;
  return (tx.one(sql, taskId)?.reason ?? null) as string | null;
}
