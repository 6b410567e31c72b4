import * as z from 'zod';
import { AOF_REASON_CHARACTERS_MAX } from '../../../domain/limits.ts';
import { taskName, textUpTo } from '../../fields.ts';
import { envelope } from './envelope.ts';

/** AOF/1, Handoff Acceptance/Rejection. */
export const handoffRejectedSchema = envelope(
  'handoff.rejected',
  z.object({
    taskId: taskName(),
    accepted: z.literal(false),
    reason: textUpTo(AOF_REASON_CHARACTERS_MAX, 0).optional(),
  }),
);

export type HandoffRejected = z.infer<typeof handoffRejectedSchema>;
