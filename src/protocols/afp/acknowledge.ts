import type { AppliedFeedback, AppliedFeedbackAck } from './schema.ts';

/** afp:acknowledgement: one answer an item, in the same order; an id counts if it was given in any earlier iteration of the session. */
export function acknowledge(applied: AppliedFeedback, knownIds: ReadonlySet<string>): AppliedFeedbackAck {
  return {
    items: applied.items.map(({ id }) => ({ id, processing_status: knownIds.has(id) ? 'acknowledged' : 'unknown_id' })),
  };
}
