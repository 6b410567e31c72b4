import type { CapabilityUse, ReviewRecord } from '../../../domain/federation/capability-review.ts';
import type { Reader, Tuple, Tx } from '../../tx.ts';

/** A review of a skill: the record of the document, and what Baton knows beside it. */
export interface ReviewRow {
  readonly record: ReviewRecord;
  /** The agent whose work it is about; empty for none. */
  readonly agent: string;
  /** The node that opened it, and the node that published the capability. */
  readonly openedBy: string;
  readonly owner: string;
  /** One line for a person. */
  readonly detail: string;
  readonly createdAt: number;
  readonly closedAt: number | null;
  readonly closedBy: string | null;
  readonly note: string | null;
  /** The record as the control plane has it; null if it has none. Only the node that opened a review writes it. */
  readonly published: string | null;
}

const COLUMNS = 'record, agent, opened_by, owner, detail, created_at, closed_at, closed_by, note, published';

function toRow(tuple: Tuple): ReviewRow {
  return {
    record: JSON.parse(tuple[0] as string) as ReviewRecord,
    agent: tuple[1] as string,
    openedBy: tuple[2] as string,
    owner: tuple[3] as string,
    detail: tuple[4] as string,
    createdAt: tuple[5] as number,
    closedAt: tuple[6] as number | null,
    closedBy: tuple[7] as string | null,
    note: tuple[8] as string | null,
    published: tuple[9] as string | null,
  };
}

export function upsertReview(tx: Tx, row: ReviewRow): void {
  const { record, agent, openedBy, owner, detail, createdAt, closedAt, closedBy, note, published } = row;
  tx.write(
    `INSERT OR REPLACE INTO capability_reviews (review_id, capability_id, failure_class, ${COLUMNS})
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    record.reviewId,
    record.capabilityId,
    record.failureClass,
    JSON.stringify(record),
    agent,
    openedBy,
    owner,
    detail,
    createdAt,
    closedAt,
    closedBy,
    note,
    published,
  );
}

/** Open reviews, oldest first. */
export function selectOpenReviews(tx: Reader, limit: number): ReviewRow[] {
  const sql = `SELECT ${COLUMNS} FROM capability_reviews INDEXED BY capability_reviews_open WHERE closed_at IS NULL
    ORDER BY created_at, review_id LIMIT ?`;
  return tx.tuples(sql, limit).map(toRow);
}

export function countOpenReviews(tx: Reader): number {
  const sql = 'SELECT count(*) FROM capability_reviews INDEXED BY capability_reviews_open WHERE closed_at IS NULL';
  return Number(tx.tuple(sql)?.[0] ?? 0);
}

/** All reviews of a capability, newest first. */
export function selectReviewsOf(tx: Reader, capabilityId: string, limit: number): ReviewRow[] {
  const sql = `SELECT ${COLUMNS} FROM capability_reviews WHERE capability_id = ? ORDER BY created_at DESC, review_id DESC LIMIT ?`;
  return tx.tuples(sql, capabilityId, limit).map(toRow);
}

export function selectReview(tx: Reader, reviewId: string): ReviewRow | null {
  const tuple = tx.tuple(`SELECT ${COLUMNS} FROM capability_reviews WHERE review_id = ?`, reviewId);
  return tuple ? toRow(tuple) : null;
}

/** The open review of the same trouble; null if there is none. */
export function selectSameReview(
  tx: Reader,
  { capabilityId, executorSkillVersion, failureClass }: ReviewRecord,
  agent: string,
): ReviewRow | null {
  const sql = `SELECT ${COLUMNS} FROM capability_reviews WHERE capability_id = ? AND failure_class = ? AND agent = ? AND closed_at IS NULL
    AND json_extract(record, '$.executorSkillVersion') = ? LIMIT 1`;
  const tuple = tx.tuple(sql, capabilityId, failureClass, agent, executorSkillVersion);
  return tuple ? toRow(tuple) : null;
}

/** Reviews of this node that the control plane has otherwise: new, changed or closed. */
export function selectUnpublished(tx: Reader, nodeId: string, limit: number): ReviewRow[] {
  const sql = `SELECT ${COLUMNS} FROM capability_reviews WHERE opened_by = ?
    AND (closed_at IS NULL AND published IS NOT record OR closed_at IS NOT NULL AND published IS NOT NULL) LIMIT ?`;
  return tx.tuples(sql, nodeId, limit).map(toRow);
}

export function insertCapabilityUse(
  tx: Tx,
  use: CapabilityUse & { readonly capabilityId: string; readonly agent: string; readonly node: string },
  { taskId, round }: { readonly taskId: string; readonly round: number },
): void {
  const { capabilityId, agent, node, verdict, isEtaKept, costUsd } = use;
  const kept = isEtaKept === null ? null : Number(isEtaKept);
  tx.write(
    `INSERT OR REPLACE INTO capability_uses (capability_id, task_id, round, agent, node, verdict, is_eta_kept, cost_usd, ended_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[capabilityId, taskId, round, agent, node, verdict, kept, costUsd, tx.moment.now.wallMs],
  );
}

/** The last uses of a capability by tasks of this node. */
export function selectCapabilityUses(tx: Reader, capabilityId: string, limit: number): CapabilityUse[] {
  const sql = `SELECT verdict, is_eta_kept, cost_usd FROM capability_uses WHERE capability_id = ? ORDER BY ended_at DESC LIMIT ?`;
  return tx.tuples(sql, capabilityId, limit).map(([verdict, kept, costUsd]) => ({
    verdict: verdict as string,
    isEtaKept: kept === null ? null : kept === 1,
    costUsd: costUsd as number,
  }));
}

/** Notes a failed route; returns the correlations of those since an instant, oldest first. */
export function noteRouteFailure(
  tx: Tx,
  { capabilityId, corrId }: { readonly capabilityId: string; readonly corrId: string },
  sinceMs: number,
): readonly string[] {
  tx.write('DELETE FROM route_failures WHERE capability_id = ? AND at < ?', capabilityId, sinceMs);
  tx.write(
    'INSERT OR IGNORE INTO route_failures (capability_id, at, corr_id) VALUES (?, ?, ?)',
    capabilityId,
    tx.moment.now.wallMs,
    corrId,
  );
  const sql = 'SELECT corr_id FROM route_failures WHERE capability_id = ? ORDER BY at, corr_id';
  return tx.tuples(sql, capabilityId).map(([found]) => found as string);
}
