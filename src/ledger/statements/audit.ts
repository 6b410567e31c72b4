import type { Scope } from '../../domain/external/external-agent.ts';
import type { Reader, Tuple, Tx } from '../tx.ts';

/** One call of somebody outside, as it was judged. */
export interface AuditRow {
  readonly n: number;
  readonly at: number;
  readonly verdict: 'accepted' | 'refused';
  /** Why it was refused. */
  readonly code: string | null;
  /** How an accepted call ended: `done`, or the code with which the node answered it; null while it is under way. */
  readonly answer: string | null;
  /** Null where nobody was authenticated. */
  readonly actor: string | null;
  readonly sessionId: string | null;
  readonly thumbprint: string | null;
  readonly scope: Scope | null;
  readonly operation: string;
  readonly task: string | null;
  readonly corrId: string;
  /** Under which the call takes effect once. */
  readonly key: string | null;
  readonly address: string;
  /** More than one for refusals that were counted together. */
  readonly times: number;
}

export type NewAuditRow = Omit<AuditRow, 'n' | 'at' | 'answer'>;

const COLUMNS = `n, at, verdict, code, answer, actor, session_id, thumbprint, scope, operation, task, corr_id, call_key, address, times`;

function toRow(tuple: Tuple): AuditRow {
  return {
    n: tuple[0] as number,
    at: tuple[1] as number,
    verdict: tuple[2] as AuditRow['verdict'],
    code: tuple[3] as string | null,
    answer: tuple[4] as string | null,
    actor: tuple[5] as string | null,
    sessionId: tuple[6] as string | null,
    thumbprint: tuple[7] as string | null,
    scope: tuple[8] as Scope | null,
    operation: tuple[9] as string,
    task: tuple[10] as string | null,
    corrId: tuple[11] as string,
    key: tuple[12] as string | null,
    address: tuple[13] as string,
    times: tuple[14] as number,
  };
}

/** Returns its number. */
export function insertAudit(tx: Tx, row: NewAuditRow): number {
  const sql = `INSERT INTO audit (at, verdict, code, actor, session_id, thumbprint, scope, operation, task, corr_id, call_key,
    address, times) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
  const { verdict, code, actor, sessionId, thumbprint, scope, operation, task, corrId, key, address, times } = row;
  const who = [actor, sessionId, thumbprint] as const;
  tx.write(sql, tx.moment.now.wallMs, verdict, code, ...who, scope, operation, task, corrId, key, address, times);
  return Number(tx.tuple('SELECT last_insert_rowid()')?.[0]);
}

export function updateAuditAnswer(tx: Tx, n: number, answer: string): void {
  tx.write('UPDATE audit SET answer = ? WHERE n = ?', answer, n);
}

export interface AuditFilter {
  readonly actor: string | null;
  readonly sessionId: string | null;
  readonly corrId: string | null;
  readonly task: string | null;
  readonly verdict: AuditRow['verdict'] | null;
  /** Leaves out what is older, in milliseconds since 1970; null for nothing. */
  readonly sinceMs: number | null;
  /** Leaves out rows up to this number. */
  readonly after: number;
}

/** Oldest first. */
export function selectAudit(tx: Reader, filter: AuditFilter, limit: number): AuditRow[] {
  const { actor, sessionId, corrId, task, verdict, sinceMs, after } = filter;
  const conditions: (readonly [sql: string, value: string | number | null])[] = [
    ['actor = ?', actor],
    ['session_id = ?', sessionId],
    ['corr_id = ?', corrId],
    ['task = ?', task],
    ['verdict = ?', verdict],
    ['at >= ?', sinceMs],
    ['n > ?', after],
  ];
  const asked = conditions.filter(([, value]) => value !== null);
  const where = asked.map(([sql]) => sql).join(' AND ');
  const sql = `SELECT ${COLUMNS} FROM audit WHERE ${where} ORDER BY n LIMIT ?`;
  return tx.tuples(sql, ...asked.map(([, value]) => value), limit).map(toRow);
}

/** When a session made its first accepted call with this key; null where it made none. */
export function selectFirstCallAt(tx: Reader, sessionId: string, key: string): number | null {
  const sql = `SELECT at FROM audit WHERE session_id = ? AND call_key = ? AND verdict = 'accepted' ORDER BY n LIMIT 1`;
  return (tx.tuple(sql, sessionId, key)?.[0] ?? null) as number | null;
}

/** The sessions whose accepted calls bear a correlation: two at most, which tell enough. */
export function selectSessionsOfCorrelation(tx: Reader, corrId: string): string[] {
  const sql = `SELECT DISTINCT session_id FROM audit WHERE corr_id = ? AND verdict = 'accepted' AND session_id IS NOT NULL LIMIT 2`;
  return tx.tuples(sql, corrId).map(([session]) => session as string);
}

/** The instant of the last accepted call of a session; null where there was none. */
export function selectLastCallAt(tx: Reader, sessionId: string): number | null {
  const sql = `SELECT at FROM audit WHERE session_id = ? AND verdict = 'accepted' ORDER BY n DESC LIMIT 1`;
  return (tx.tuple(sql, sessionId)?.[0] ?? null) as number | null;
}

export function deleteAuditBefore(tx: Tx, atMs: number): void {
  tx.write('DELETE FROM audit WHERE at < ?', atMs);
}
