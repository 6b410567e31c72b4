import { NO_CAPABILITY, type ReviewRecord } from '../../domain/federation/capability-review.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { shorten } from '../../domain/words/shorten.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { selectCapability } from '../../ledger/statements/federation/capabilities.ts';
import { type ReviewRow, selectReview, upsertReview } from '../../ledger/statements/federation/capability-reviews.ts';
import { selectReceivedBy } from '../../ledger/statements/federation/received-tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import type { SignalEnvelope } from '../../protocols/runtime/schema/events.ts';
import { RECORD_SCHEMAS, type Review } from '../../protocols/runtime/schema/records.ts';
import type { Sender } from '../outbox.ts';
import { noteOpened } from './open-review.ts';
import { REVIEW_CLOSED, REVIEW_OPENED, tellClosed } from './tell-review.ts';

const TEXT_CHARACTERS_MAX = 500;

interface ReviewSignal {
  readonly signal?: unknown;
  readonly review?: unknown;
  readonly agent?: unknown;
  readonly detail?: unknown;
  readonly reviewId?: unknown;
  readonly closedBy?: unknown;
  readonly note?: unknown;
}

/** Takes a signal about a review; false if it is none. What does not concern this node changes nothing. */
export function takeReviewSignal(tx: Tx, { payload, sourceNodeId }: SignalEnvelope, { nodeId }: Sender): boolean {
  const signal = payload as ReviewSignal;
  if (signal.signal === REVIEW_OPENED) takeOpened(tx, { signal, source: sourceNodeId, nodeId });
  else if (signal.signal === REVIEW_CLOSED) takeClosed(tx, signal, sourceNodeId);
  else return false;
  return true;
}

/** Another node reviews a capability of this one. */
function takeOpened(
  tx: Tx,
  { signal, source, nodeId }: { readonly signal: ReviewSignal; readonly source: string; readonly nodeId: string },
): void {
  const read = RECORD_SCHEMAS.review.safeParse(signal.review);
  if (!read.success || !isAboutThisNode(tx, read.data, source)) return;
  const record = JSON.parse(JSON.stringify(read.data)) as ReviewRecord;
  const known = selectReview(tx, record.reviewId);
  if (known !== null && (known.openedBy !== source || known.closedAt !== null)) return;
  const row: ReviewRow = {
    record,
    agent: textOf(signal.agent),
    openedBy: source,
    owner: nodeId,
    detail: textOf(signal.detail) || record.failureClass,
    createdAt: known?.createdAt ?? tx.moment.now.wallMs,
    ...{ closedAt: null, closedBy: null, note: null, published: null },
  };
  upsertReview(tx, row);
  if (known === null) noteOpened(tx, row);
}

/** A capability that this node published, or a task that it did for the node that reviews it. */
function isAboutThisNode(tx: Tx, { capabilityId, sampleCorrIds }: Review, source: string): boolean {
  if (capabilityId !== NO_CAPABILITY) return selectCapability(tx, capabilityId) !== null;
  return sampleCorrIds.some((corrId) => selectReceivedBy(tx, source, corrId) !== null);
}

/** The one who opened a review, or the owner of its capability, has closed it. */
function takeClosed(tx: Tx, { reviewId, closedBy, note }: ReviewSignal, source: string): void {
  const row = typeof reviewId === 'string' ? selectReview(tx, reviewId) : null;
  if (row === null || (row.openedBy !== source && row.owner !== source)) return;
  if (row.closedAt === null) close(tx, row, { by: `${textOf(closedBy)}@${source}`, note: textOf(note) || null });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? shorten(value, TEXT_CHARACTERS_MAX) : '';
}

function close(tx: Tx, row: ReviewRow, { by, note }: { readonly by: string; readonly note: string | null }): ReviewRow {
  const closed = { ...row, closedAt: tx.moment.now.wallMs, closedBy: by, note };
  upsertReview(tx, closed);
  const { reviewId, capabilityId } = row.record;
  const payload = { reviewId, capabilityId, note: note ?? '' };
  insertEvent(tx, { type: 'capability.review_closed', actor: by, taskId: null, payload });
  return closed;
}

export interface ReviewClosing {
  readonly sender: Sender;
  readonly reviewId: string;
  readonly by: string;
  readonly note: string | null;
}

function closedBefore({ closedBy }: ReviewRow, reviewId: string): Refusal {
  const refusal = refuse('review_not_found', `${reviewId} was closed by ${closedBy} before`, '/review');
  return { ...refusal, hint: 'baton capability show CAPABILITY lists its reviews' };
}

/** A person has looked at a review: it is closed here and on the other node that knows of it. */
export const closeReview: Command<ReviewClosing, { readonly review: ReviewRow }> = (
  tx,
  { sender, reviewId, by, note },
) => {
  const row = selectReview(tx, reviewId);
  if (row === null) return refuse('review_not_found', `there is no review ${reviewId} here`, '/review');
  if (row.closedAt !== null) return closedBefore(row, reviewId);
  const closed = close(tx, row, { by, note });
  tellClosed(tx, sender, closed);
  return { review: closed };
};
