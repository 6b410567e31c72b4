import type { AppliedFeedback, AppliedFeedbackAck } from './schema.ts';

/** afp:acknowledgement: one answer per item, in the same order; ids of all earlier iterations of the session count. */
export function acknowledgeFeedback(applied: AppliedFeedback, knownIds: ReadonlySet<string>): AppliedFeedbackAck {
  return {
    items: applied.items.map(({ id }) => ({ id, processing_status: knownIds.has(id) ? 'acknowledged' : 'unknown_id' })),
  };
}
