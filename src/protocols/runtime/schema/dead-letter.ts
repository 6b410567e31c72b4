import * as z from 'zod';
import { count, id, text } from '../../fields.ts';
import { uncorrelatedEnvelope } from './envelope.ts';
import { refKindSchema } from './parts.ts';

/** runtime:required, runtime:resend: an event that was given up. */
const deadLetterPayloadSchema = z.object({
  refEventId: id(),
  refKind: refKindSchema,
  reason: text(),
  attempts: count(1),
});

export const deadLetterSchema = uncorrelatedEnvelope('dead_letter', deadLetterPayloadSchema);

export type DeadLetterEnvelope = z.infer<typeof deadLetterSchema>;
