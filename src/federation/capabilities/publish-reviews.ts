import type { Command } from '../../ledger/commit-queue.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  type ReviewRow,
  selectOpenReviews,
  selectReview,
  selectUnpublished,
  upsertReview,
} from '../../ledger/statements/federation/capability-reviews.ts';
import { KEYS, writeOwn } from '../records.ts';
import { isKey, type Transport } from '../transport.ts';

const REVIEWS_PER_TURN_MAX = 50;

interface ReviewStore {
  readonly nodeId: string;
  readonly ledger: Pick<Ledger, 'read' | 'submit'>;
  readonly transport: Transport;
}

/** Writes the open reviews of this node into the control plane, and removes the closed ones. */
export async function publishReviews({ nodeId, ledger, transport }: ReviewStore): Promise<void> {
  for (const row of selectUnpublished(ledger.read, nodeId, REVIEWS_PER_TURN_MAX)) {
    const value = row.closedAt === null ? JSON.stringify(row.record) : null;
    await writeReview(transport, row, value);
    await ledger.submit(markPublished, { reviewId: row.record.reviewId, published: value });
  }
}

/** Writes those that the control plane has lost. */
export async function restoreReviews({ nodeId, ledger, transport }: ReviewStore): Promise<void> {
  const own = selectOpenReviews(ledger.read, REVIEWS_PER_TURN_MAX).filter(({ openedBy }) => openedBy === nodeId);
  for (const row of own) await writeReview(transport, row, JSON.stringify(row.record));
}

async function writeReview(transport: Transport, { record, agent }: ReviewRow, value: string | null): Promise<void> {
  const key = KEYS.review(record.capabilityId, agent, record.reviewId);
  if (!isKey(key)) return;
  if (value !== null) {
    await writeOwn(transport, key, value);
    return;
  }
  const entry = await transport.get(key);
  if (entry !== null) await transport.remove(key, entry.revision);
}

const markPublished: Command<
  { readonly reviewId: string; readonly published: string | null },
  { readonly isMarked: boolean }
> = (tx, { reviewId, published }) => {
  const row = selectReview(tx, reviewId);
  if (row) upsertReview(tx, { ...row, published });
  return { isMarked: row !== null };
};
