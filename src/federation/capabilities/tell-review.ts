import type { ReviewRow } from '../../ledger/statements/federation/capability-reviews.ts';
import type { Tx } from '../../ledger/tx.ts';
import { appendEvent, type Sender } from '../outbox.ts';

/** The signals by which nodes tell each other of reviews (runtime:reviews). */
export const REVIEW_OPENED = 'capability_review';
export const REVIEW_CLOSED = 'capability_review_closed';

/** Tells the node that published the capability of a review that this node has opened. */
export function tellReview(tx: Tx, sender: Sender, { record, agent, owner, detail }: ReviewRow): void {
  if (owner === sender.nodeId) return;
  tell(tx, sender, { to: owner, payload: { signal: REVIEW_OPENED, review: record, agent, detail } });
}

/** Tells the other node of the two that know of a review that it is closed. */
export function tellClosed(tx: Tx, sender: Sender, { record, owner, openedBy, closedBy, note }: ReviewRow): void {
  const to = openedBy === sender.nodeId ? owner : openedBy;
  if (to === sender.nodeId) return;
  tell(tx, sender, { to, payload: { signal: REVIEW_CLOSED, reviewId: record.reviewId, closedBy, note } });
}

function tell(tx: Tx, sender: Sender, { to, payload }: { readonly to: string; readonly payload: object }): void {
  const recipient = [{ agent: to, node: to, fence: null }];
  appendEvent(tx, sender, { kind: 'signal', fromAgent: sender.nodeId, to: recipient, payload });
}
