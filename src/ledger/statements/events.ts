import { EVENTS_PER_PAGE_MAX } from '../../domain/limits.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { TaskReason } from '../../domain/task/task-reason.ts';
import type { EventType, LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { OUTPUT_KIND } from '../../domain/trace/printed-lines.ts';
import type { NewRow } from '../pending-rows.ts';
import type { Reader, Tuple, Tx } from '../tx.ts';

export interface NewEvent {
  readonly type: EventType;
  readonly actor: string;
  readonly taskId: TaskName | null;
  /** The run that it happened in; left out where it is of none. */
  readonly runId?: string | null;
  /** The session of an event that is about no task; the session of any other is its task's. */
  readonly sessionId?: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const EVENT: NewRow = {
  table: 'events',
  into: 'INSERT INTO events (seq, id, type, at, actor, task_id, payload, run_id) VALUES',
  row: '(?, ?, ?, ?, ?, ?, ?, ?)',
};
/** Most tasks have no order, and their events bind a value less. */
const SESSION_EVENT: NewRow = {
  table: 'events',
  into: 'INSERT INTO events (seq, id, type, at, actor, task_id, payload, run_id, session_id) VALUES',
  row: '(?, ?, ?, ?, ?, ?, ?, ?, ?)',
};

/** One row of the one log, written with the others of its batch. Its session is that of its task. */
export function insertEvent(tx: Tx, event: NewEvent): LedgerEvent {
  const { now, ids } = tx.moment;
  const id = ids.uuid();
  const { type, actor, taskId, runId = null, payload } = event;
  const seq = tx.nextSeq();
  const sessionId = taskId === null ? (event.sessionId ?? null) : sessionOf(tx, taskId);
  const at = now.wallMs;
  const json = JSON.stringify(payload);
  if (sessionId === null) tx.insert(EVENT, seq, id, type, at, actor, taskId, json, runId);
  else tx.insert(SESSION_EVENT, seq, id, type, at, actor, taskId, json, runId, sessionId);
  return { seq, id, type, at, actor, taskId, runId, sessionId, payload };
}

function sessionOf(tx: Tx, taskId: TaskName): string | null {
  const known = tx.rows.task(taskId);
  if (known) return known.sessionId;
  return (tx.tuple('SELECT session_id FROM tasks WHERE id = ?', taskId)?.[0] ?? null) as string | null;
}

const COLUMNS = `events.seq, events.id, events.type, events.at, events.actor, events.task_id, events.payload, events.run_id,
  events.session_id, agent_logs.envelope_json, agent_logs.shown`;
const WITH_TRACE = `events LEFT JOIN agent_logs ON agent_logs.seq = events.seq
  AND events.type IN ('turn.recorded', 'trace.event_recorded')`;

function toEvent(tuple: Tuple): LedgerEvent {
  const envelope = tuple[9] as string | null;
  return {
    seq: tuple[0] as number,
    id: tuple[1] as string,
    type: tuple[2] as EventType,
    at: tuple[3] as number,
    actor: tuple[4] as string,
    taskId: tuple[5] as TaskName | null,
    runId: tuple[7] as string | null,
    sessionId: tuple[8] as string | null,
    payload: JSON.parse(tuple[6] as string) as Record<string, unknown>,
    ...(envelope !== null && { trace: { envelope, shown: tuple[10] as string | null } }),
  };
}

const SELECT_PAGE = `SELECT ${COLUMNS} FROM ${WITH_TRACE} WHERE events.seq > ? ORDER BY events.seq LIMIT ?`;

/** One page in order, above `after`. */
export function selectEvents(tx: Reader, after: number, limit = EVENTS_PER_PAGE_MAX): LedgerEvent[] {
  return tx.tuples(SELECT_PAGE, after, limit).map(toEvent);
}

/** An event with its payload as it is stored: JSON text. */
export type StoredEvent = Pick<LedgerEvent, 'seq' | 'type' | 'at' | 'actor' | 'taskId'> & { readonly payload: string };

const SELECT_STORED = 'SELECT seq, type, at, actor, task_id, payload FROM events WHERE seq > ? ORDER BY seq LIMIT ?';

/** One page in order, above `after`, for a reader that passes the payload on. */
export function selectStoredEvents(tx: Reader, after: number, limit = EVENTS_PER_PAGE_MAX): StoredEvent[] {
  return tx.tuples(SELECT_STORED, after, limit).map(([seq, type, at, actor, taskId, payload]) => ({
    seq: seq as number,
    type: type as EventType,
    at: at as number,
    actor: actor as string,
    taskId: taskId as TaskName | null,
    payload: payload as string,
  }));
}

export interface EventsFilter {
  readonly taskId: string | null;
  /** Give the task of the run too: the index by task finds both. */
  readonly runId: string | null;
  readonly sessionId: string | null;
  /** Null for every type. */
  readonly types: readonly EventType[] | null;
  /** Leaves out what is older, in milliseconds since 1970. */
  readonly sinceMs: number;
}

export interface EventsPart {
  readonly after: number;
  /** Leaves out this seq and those above it; absent for none. */
  readonly before?: number | undefined;
  readonly isNewestFirst?: boolean;
  readonly limit: number;
}

/** One page of the events that pass the filter, oldest first unless told otherwise. */
export function selectEventsThat(tx: Reader, filter: EventsFilter, part: EventsPart): LedgerEvent[] {
  const { taskId, runId, sessionId, types, sinceMs } = filter;
  const conditions: (readonly [sql: string, value: string | number | null])[] = [
    ['events.task_id = ?', taskId],
    ['events.run_id = ?', runId],
    ['events.session_id = ?', sessionId],
    ['events.type IN (SELECT value FROM json_each(?))', types === null ? null : JSON.stringify(types)],
    ['events.at >= ?', sinceMs === 0 ? null : sinceMs],
    ['events.seq > ?', part.after],
    ['events.seq < ?', part.before ?? null],
  ];
  const asked = conditions.filter(([, value]) => value !== null);
  const where = asked.map(([sql]) => sql).join(' AND ');
  const order = part.isNewestFirst ? 'DESC' : 'ASC';
  const sql = `SELECT ${COLUMNS} FROM ${WITH_TRACE} WHERE ${where} ORDER BY events.seq ${order} LIMIT ?`;
  return tx.tuples(sql, ...asked.map(([, value]) => value), part.limit).map(toEvent);
}

interface BeforePart {
  readonly taskId: string;
  readonly types: readonly EventType[];
  readonly before: number;
  readonly limit: number;
}

const SELECT_BEFORE = `SELECT ${COLUMNS} FROM ${WITH_TRACE} WHERE events.task_id = ? AND events.seq < ?
  AND events.type IN (SELECT value FROM json_each(?))
  AND NOT (events.type = 'trace.event_recorded' AND events.payload ->> 'kind' = '${OUTPUT_KIND}')
  ORDER BY events.seq DESC LIMIT ?`;

/** The events of a task below a seq, newest first, without those of output. */
export function selectEventsBefore(tx: Reader, { taskId, types, before, limit }: BeforePart): LedgerEvent[] {
  return tx.tuples(SELECT_BEFORE, taskId, before, JSON.stringify(types), limit).map(toEvent);
}

/** Above `after` and up to `upTo`, in order; the range bounds the cost, whatever the types. */
export function selectEventsOfTypes(
  tx: Reader,
  types: readonly EventType[],
  { after, upTo }: { readonly after: number; readonly upTo: number },
): LedgerEvent[] {
  const sql = `SELECT ${COLUMNS} FROM ${WITH_TRACE} WHERE events.seq > ? AND events.seq <= ?
    AND events.type IN (SELECT value FROM json_each(?)) ORDER BY events.seq`;
  return tx.tuples(sql, after, upTo, JSON.stringify(types)).map(toEvent);
}

/** The last event before an instant; 0 where there is none. Events are in the order of their commits, so halving finds it. */
export function lastSeqBefore(tx: Reader, atMs: number): number {
  let [low, high] = [0, lastSeq(tx)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const [at = 0] = tx.tuple('SELECT at FROM events WHERE seq <= ? ORDER BY seq DESC LIMIT 1', middle) ?? [];
    if ((at as number) < atMs) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Whether any event is of this session. */
export function hasSession(tx: Reader, sessionId: string): boolean {
  return tx.tuple('SELECT 1 FROM events WHERE session_id = ? LIMIT 1', sessionId) !== undefined;
}

/** Newest first, from `seq` down: when each event was. */
export function selectEventInstants(tx: Reader, seq: number, limit: number): { seq: number; at: number }[] {
  const sql = 'SELECT seq, at FROM events WHERE seq <= ? ORDER BY seq DESC LIMIT ?';
  return tx.all(sql, seq, limit) as unknown as { seq: number; at: number }[];
}

export function lastSeq(tx: Reader): number {
  return Number(tx.one('SELECT max(seq) AS seq FROM events')?.seq ?? 0);
}

/** Whether the last report of a task came before its last move. */
export function isReportBeforeLastMove(tx: Reader, taskId: string): boolean {
  const sql = `SELECT type FROM events WHERE task_id = ? AND type IN ('task.completed', 'task.transitioned')
    ORDER BY seq DESC LIMIT 1`;
  return tx.one(sql, taskId)?.type === 'task.transitioned';
}

/** The reason of a task's last transition. Events of earlier versions have no cause. */
export function selectLastReason(tx: Reader, taskId: string): TaskReason {
  const { reason, cause } = selectLastMove(tx, taskId);
  return { reason, cause };
}

export interface LastMove extends TaskReason {
  /** The seq of the event; 0 for a task that was never moved. */
  readonly seq: number;
  readonly actor: string;
  readonly at: number;
}

/** A task's last transition. */
export function selectLastMove(tx: Reader, taskId: string): LastMove {
  const sql = `SELECT seq, actor, at, payload ->> 'reason', payload -> 'cause' FROM events
    WHERE task_id = ? AND type = 'task.transitioned' ORDER BY seq DESC LIMIT 1`;
  const [seq, actor, at, reason, cause] = tx.tuple(sql, taskId) ?? [0, '', 0, null, null];
  return {
    seq: seq as number,
    actor: actor as string,
    at: at as number,
    reason: reason as string | null,
    cause: JSON.parse((cause as string | null) ?? 'null') as TaskReason['cause'],
  };
}

export interface ReviewAnswerRow {
  readonly type: 'review.approved' | 'review.returned';
  readonly actor: string;
  readonly at: number;
}

const SELECT_ANSWER = `SELECT type, actor, at FROM events WHERE task_id = ?
  AND type IN ('review.approved', 'review.returned') AND ifnull(payload ->> 'seq' = ?, 1) ORDER BY seq DESC LIMIT 1`;

/** The answer to the review that began with the transition `seq`; with null, the last answer to any. */
export function selectReviewAnswer(tx: Reader, taskId: string, seq: number | null): ReviewAnswerRow | null {
  const row = tx.tuple(SELECT_ANSWER, taskId, seq);
  if (!row) return null;
  const [type, actor, at] = row;
  return { type: type as ReviewAnswerRow['type'], actor: actor as string, at: at as number };
}
