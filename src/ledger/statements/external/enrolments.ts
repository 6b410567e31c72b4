import type { Enrolment, RefreshToken, RevocationReason, Scope } from '../../../domain/external/external-agent.ts';
import type { Reader, Tuple, Tx } from '../../tx.ts';

const SELECT = `SELECT id, agent, thumbprint, scopes, invite_id, enrolled_at, revoked_at, revoked_why FROM enrolments`;

function toEnrolment(tuple: Tuple): Enrolment {
  const [id, agent, thumbprint, scopes, inviteId, enrolledAt, revokedAt, revokedWhy] = tuple;
  return {
    id: id as string,
    agent: agent as string,
    thumbprint: thumbprint as string,
    scopes: JSON.parse(scopes as string) as Scope[],
    inviteId: inviteId as string,
    enrolledAt: enrolledAt as number,
    revokedAt: revokedAt as number | null,
    revokedWhy: revokedWhy as RevocationReason | null,
  };
}

export function insertEnrolment(tx: Tx, enrolment: Enrolment): void {
  const { id, agent, thumbprint, scopes, inviteId, enrolledAt } = enrolment;
  const sql = `INSERT INTO enrolments (id, agent, thumbprint, scopes, invite_id, enrolled_at)
    VALUES (?, ?, ?, ?, ?, ?)`;
  tx.write(sql, id, agent, thumbprint, JSON.stringify(scopes), inviteId, enrolledAt);
}

export function selectEnrolment(tx: Reader, id: string): Enrolment | null {
  const tuple = tx.tuple(`${SELECT} WHERE id = ?`, id);
  return tuple ? toEnrolment(tuple) : null;
}

/** Newest first; without revoked ones unless asked for. */
export function selectEnrolments(tx: Reader, isAll: boolean, limit: number): Enrolment[] {
  const where = isAll ? '' : 'WHERE revoked_at IS NULL';
  return tx.tuples(`${SELECT} ${where} ORDER BY id DESC LIMIT ?`, limit).map(toEnrolment);
}

/** The enrolments of an agent that nobody has revoked. */
export function selectEnrolmentsOf(tx: Reader, agent: string): Enrolment[] {
  return tx.tuples(`${SELECT} WHERE agent = ? AND revoked_at IS NULL`, agent).map(toEnrolment);
}

/** The names of agents that are enrolled now. */
export function selectEnrolledAgents(tx: Reader): string[] {
  const sql = 'SELECT DISTINCT agent FROM enrolments WHERE revoked_at IS NULL ORDER BY agent';
  return tx.tuples(sql).map(([agent]) => agent as string);
}

/** Whether an agent of this name was ever enrolled here. */
export function wasEnrolled(tx: Reader, agent: string): boolean {
  return tx.tuple('SELECT 1 FROM enrolments WHERE agent = ? LIMIT 1', agent) !== undefined;
}

/** Its refresh tokens go with it. */
export function revokeEnrolment(tx: Tx, id: string, why: RevocationReason): void {
  const sql = 'UPDATE enrolments SET revoked_at = ?, revoked_why = ? WHERE id = ?';
  tx.write(sql, tx.moment.now.wallMs, why, id);
  tx.write('DELETE FROM refresh_tokens WHERE enrolment_id = ?', id);
}

export function insertRefreshToken(tx: Tx, { hash, enrolmentId, expires }: RefreshToken): void {
  const sql = `INSERT INTO refresh_tokens (hash, enrolment_id, boot_id, expires_mono, expires_at) VALUES (?, ?, ?, ?, ?)`;
  tx.write(sql, hash, enrolmentId, expires.bootId, expires.monotonicMs, expires.wallMs);
}

export function selectRefreshToken(tx: Reader, hash: string): RefreshToken | null {
  const sql = 'SELECT enrolment_id, boot_id, expires_mono, expires_at, used_at FROM refresh_tokens WHERE hash = ?';
  const tuple = tx.tuple(sql, hash);
  if (!tuple) return null;
  const [enrolmentId, bootId, mono, at, usedAt] = tuple;
  return {
    hash,
    enrolmentId: enrolmentId as string,
    expires: { bootId: bootId as string, monotonicMs: mono as number, wallMs: at as number },
    usedAt: usedAt as number | null,
  };
}

export function useRefreshToken(tx: Tx, hash: string): void {
  tx.write('UPDATE refresh_tokens SET used_at = ? WHERE hash = ?', tx.moment.now.wallMs, hash);
}

/** Tokens that ended before an instant, by the wall clock. */
export function deleteRefreshTokensBefore(tx: Tx, atMs: number): void {
  tx.write('DELETE FROM refresh_tokens WHERE expires_at < ?', atMs);
}
