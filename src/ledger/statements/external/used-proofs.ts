import { type Expiry, hasExpired, type Now } from '../../../domain/now.ts';
import type { Reader, Tx } from '../../tx.ts';

/** A proof is used for one request: the key that signed it, its own id, and the method and address that it is for. */
export interface ProofUse {
  readonly thumbprint: string;
  readonly jti: string;
  /** The method and the normal form of the address. */
  readonly target: string;
}

export function isProofUsed(tx: Reader, { thumbprint, jti, target }: ProofUse): boolean {
  const sql = 'SELECT 1 FROM used_proofs WHERE thumbprint = ? AND jti = ? AND target = ?';
  return tx.tuple(sql, thumbprint, jti, target) !== undefined;
}

export function insertProofUse(tx: Tx, { thumbprint, jti, target }: ProofUse, expires: Expiry): void {
  const sql = `INSERT INTO used_proofs (thumbprint, jti, target, boot_id, expires_mono, expires_at) VALUES (?, ?, ?, ?, ?, ?)`;
  tx.write(sql, thumbprint, jti, target, expires.bootId, expires.monotonicMs, expires.wallMs);
}

/** At least as many as there are: without counting. */
export function countProofUses(tx: Reader): number {
  const [first = null, last = null] = tx.tuple('SELECT min(n), max(n) FROM used_proofs') ?? [];
  return first === null ? 0 : Number(last) - Number(first) + 1;
}

/** Deletes the oldest that have ended; a bounded number, so that a call waits for no more. */
export function deleteEndedProofs(tx: Tx, now: Now, limit: number): void {
  const sql = 'SELECT n, boot_id, expires_mono, expires_at FROM used_proofs ORDER BY n LIMIT ?';
  let upTo: number | null = null;
  for (const [n, bootId, mono, at] of tx.tuples(sql, limit)) {
    const expires = { bootId: bootId as string, monotonicMs: mono as number, wallMs: at as number };
    if (!hasExpired(expires, now)) break;
    upTo = n as number;
  }
  if (upTo !== null) tx.write('DELETE FROM used_proofs WHERE n <= ?', upTo);
}
