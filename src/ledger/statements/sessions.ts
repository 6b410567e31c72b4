import type { SessionAudit } from '../../domain/session/audited-session.ts';
import { liftSessionFact, type SessionFact, storedSessionFact } from '../../domain/session/session.ts';
import type { SessionPattern } from '../../domain/session/session-terms.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { Reader, Tuple, Tx } from '../tx.ts';

/** One session; the rest of it is among its facts. */
export interface SessionRow {
  readonly sessionId: string;
  readonly name: string;
  readonly pattern: SessionPattern;
  /** Its first submission, in milliseconds since 1970. */
  readonly at: number;
  /** Tasks that run at the same time; null for no limit. */
  readonly atOnceMax: number | null;
  /** The cost of runs that have ended, over all rounds of its tasks. */
  readonly costUsd: number;
  /** Not reported yet. */
  readonly isOpen: boolean;
}

const COLUMNS = 'session_id, name, pattern, at, at_once_max, cost_usd, is_open';

function toSession([sessionId, name, pattern, at, atOnceMax, costUsd, isOpen]: Tuple): SessionRow {
  return {
    sessionId: sessionId as string,
    name: name as string,
    pattern: pattern as SessionPattern,
    at: at as number,
    atOnceMax: atOnceMax as number | null,
    costUsd: costUsd as number,
    isOpen: isOpen === 1,
  };
}

const UPSERT = `INSERT INTO sessions (session_id, name, pattern, at, at_once_max, cost_usd, is_open) VALUES (?, ?, ?, ?, ?, 0, 1)
  ON CONFLICT (session_id) DO UPDATE SET name = excluded.name, pattern = excluded.pattern, at_once_max = excluded.at_once_max,
  is_open = 1`;

/** A session that is new, or open again. */
export function openSession(tx: Tx, session: Pick<SessionRow, 'sessionId' | 'name' | 'pattern' | 'atOnceMax'>): void {
  const { sessionId, name, pattern, atOnceMax } = session;
  tx.write(UPSERT, sessionId, name, pattern, tx.moment.now.wallMs, atOnceMax);
}

export function closeSession(tx: Tx, sessionId: string): void {
  tx.write('UPDATE sessions SET is_open = 0 WHERE session_id = ?', sessionId);
}

export function updateSessionAudit(tx: Tx, sessionId: string, audit: SessionAudit): void {
  tx.write('UPDATE sessions SET audit = ? WHERE session_id = ?', JSON.stringify(audit), sessionId);
}

/** The audit of the session's last report; null before the first. */
export function selectSessionAudit(tx: Reader, sessionId: string): SessionAudit | null {
  const text = tx.tuple('SELECT audit FROM sessions WHERE session_id = ?', sessionId)?.[0] ?? null;
  return text === null ? null : (JSON.parse(text as string) as SessionAudit);
}

/** The sender's names for all tasks that a session ever had, by task. */
export function selectSenderNames(tx: Reader, sessionId: string): ReadonlyMap<string, string> {
  const rows = tx.tuples('SELECT DISTINCT task_id, sender_task_id FROM orders WHERE session_id = ?', sessionId);
  return new Map(rows.map(([taskId, member]) => [taskId as string, member as string]));
}

/** Counts the cost of a run that has ended. Orders without a session have no row, and nothing is counted. */
export function addSessionCost(tx: Tx, sessionId: string, costUsd: number): void {
  if (costUsd > 0) tx.write('UPDATE sessions SET cost_usd = cost_usd + ? WHERE session_id = ?', costUsd, sessionId);
}

export function selectSession(tx: Reader, sessionId: string): SessionRow | null {
  const tuple = tx.tuple(`SELECT ${COLUMNS} FROM sessions WHERE session_id = ?`, sessionId);
  return tuple ? toSession(tuple) : null;
}

export function selectOpenSessions(tx: Reader, limit: number): SessionRow[] {
  const sql = `SELECT ${COLUMNS} FROM sessions INDEXED BY sessions_open WHERE is_open = 1 LIMIT ?`;
  return tx.tuples(sql, limit).map(toSession);
}

/** Newest first, below a number of the list. */
export function selectSessionPage(tx: Reader, { before, limit }: { readonly before: number; readonly limit: number }) {
  const sql = `SELECT ${COLUMNS}, number FROM sessions WHERE number < ? ORDER BY number DESC LIMIT ?`;
  return tx.tuples(sql, before, limit).map((tuple) => ({ session: toSession(tuple), number: tuple.at(-1) as number }));
}

const MATCHES = `SELECT ${COLUMNS} FROM sessions WHERE session_id LIKE '%' || ?1 || '%' ESCAPE '\\'
  OR name LIKE '%' || ?1 || '%' ESCAPE '\\' ORDER BY number DESC LIMIT ?2`;

/** Sessions whose id or name contains these words, newest first. */
export function selectSessionsNamed(tx: Reader, words: string, limit: number): SessionRow[] {
  return tx.tuples(MATCHES, words.replaceAll(/[\\%_]/g, '\\$&'), limit).map(toSession);
}

export function insertSessionFact(tx: Tx, sessionId: string, fact: SessionFact): void {
  const last = tx.tuple('SELECT max(number) FROM session_facts WHERE session_id = ?', sessionId)?.[0];
  tx.write(
    'INSERT INTO session_facts (session_id, number, fact, at) VALUES (?, ?, ?, ?)',
    sessionId,
    Number(last ?? 0) + 1,
    JSON.stringify(storedSessionFact(fact)),
    tx.moment.now.wallMs,
  );
}

/** Oldest first. */
export function selectSessionFacts(tx: Reader, sessionId: string): SessionFact[] {
  const sql = 'SELECT fact FROM session_facts WHERE session_id = ? ORDER BY number';
  return tx.tuples(sql, sessionId).map(([fact]) => liftSessionFact(JSON.parse(fact as string)));
}

export function countSessionFacts(tx: Reader, sessionId: string): number {
  return Number(tx.tuple('SELECT max(number) FROM session_facts WHERE session_id = ?', sessionId)?.[0] ?? 0);
}

const SET_TASK = `INSERT INTO session_tasks (session_id, number, sender_task_id, task_id) VALUES (?, ?, ?, ?)
  ON CONFLICT (session_id, sender_task_id) DO UPDATE SET task_id = excluded.task_id`;

/** The next task of a session, or the new task of a member that had one. */
export class SessionTasks {
  readonly #tx: Tx;
  readonly #sessionId: string;
  #last: number;

  constructor(tx: Tx, sessionId: string) {
    this.#tx = tx;
    this.#sessionId = sessionId;
    this.#last = Number(tx.tuple('SELECT max(number) FROM session_tasks WHERE session_id = ?', sessionId)?.[0] ?? 0);
  }

  put(member: string, taskId: TaskName): void {
    this.#tx.write(SET_TASK, this.#sessionId, ++this.#last, member, taskId);
  }
}

/** Orders of a session that are not reported yet. */
export function countOpenOrders(tx: Reader, sessionId: string): number {
  const sql = 'SELECT count(*) FROM orders INDEXED BY orders_open_of_session WHERE is_open = 1 AND session_id = ?';
  return Number(tx.tuple(sql, sessionId)?.[0] ?? 0);
}

/** Running tasks by session, of the sessions that have a limit. */
export function selectLimitedSessions(tx: Reader): readonly { readonly sessionId: string; readonly free: number }[] {
  const sql = `SELECT session_id, at_once_max - (SELECT count(*) FROM tasks WHERE status = 'in-progress'
      AND tasks.session_id = sessions.session_id)
    FROM sessions INDEXED BY sessions_open WHERE is_open = 1 AND at_once_max IS NOT NULL`;
  return tx
    .tuples(sql)
    .map(([sessionId, free]) => ({ sessionId: sessionId as string, free: Math.max(0, free as number) }));
}
