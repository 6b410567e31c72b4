import type { Invite, Scope } from '../../../domain/external/external-agent.ts';
import type { Reader, Tuple, Tx } from '../../tx.ts';

const SELECT = `SELECT id, agent, scopes, created_at, boot_id, expires_mono, expires_at, used_at, revoked_at, enrolment_id
  FROM invites`;

function toInvite([id, agent, scopes, createdAt, bootId, mono, at, usedAt, revokedAt, enrolmentId]: Tuple): Invite {
  return {
    id: id as string,
    agent: agent as string,
    scopes: JSON.parse(scopes as string) as Scope[],
    createdAt: createdAt as number,
    expires: { bootId: bootId as string, monotonicMs: mono as number, wallMs: at as number },
    usedAt: usedAt as number | null,
    revokedAt: revokedAt as number | null,
    enrolmentId: enrolmentId as string | null,
  };
}

export function insertInvite(tx: Tx, { id, agent, scopes, createdAt, expires }: Invite, codeHash: string): void {
  const sql = `INSERT INTO invites (id, code_hash, agent, scopes, created_at, boot_id, expires_mono, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
  const { bootId, monotonicMs, wallMs } = expires;
  tx.write(sql, id, codeHash, agent, JSON.stringify(scopes), createdAt, bootId, monotonicMs, wallMs);
}

export function selectInvite(tx: Reader, id: string): Invite | null {
  const tuple = tx.tuple(`${SELECT} WHERE id = ?`, id);
  return tuple ? toInvite(tuple) : null;
}

export function selectInviteByCode(tx: Reader, codeHash: string): Invite | null {
  const tuple = tx.tuple(`${SELECT} WHERE code_hash = ?`, codeHash);
  return tuple ? toInvite(tuple) : null;
}

/** Newest first. */
export function selectInvites(tx: Reader, limit: number): Invite[] {
  return tx.tuples(`${SELECT} ORDER BY id DESC LIMIT ?`, limit).map(toInvite);
}

/** The invites of an agent that nobody has used or revoked, expired or not. */
export function selectOpenInvites(tx: Reader, agent: string): Invite[] {
  return tx.tuples(`${SELECT} WHERE agent = ? AND used_at IS NULL AND revoked_at IS NULL`, agent).map(toInvite);
}

export function useInvite(tx: Tx, id: string, enrolmentId: string): void {
  tx.write('UPDATE invites SET used_at = ?, enrolment_id = ? WHERE id = ?', tx.moment.now.wallMs, enrolmentId, id);
}

export function revokeInvite(tx: Tx, id: string): void {
  tx.write('UPDATE invites SET revoked_at = ? WHERE id = ?', tx.moment.now.wallMs, id);
}

/** Invites that ended before an instant. */
export function deleteInvitesBefore(tx: Tx, atMs: number): void {
  tx.write('DELETE FROM invites WHERE expires_at < ?', atMs);
}
