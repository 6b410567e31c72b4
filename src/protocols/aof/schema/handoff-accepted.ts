import * as z from 'zod';
import { taskName } from '../../fields.ts';
import { envelope } from './envelope.ts';

/** AOF/1, Handoff Acceptance/Rejection. */
export const handoffAcceptedSchema = envelope(
  'handoff.accepted',
  z.object({ taskId: taskName(), accepted: z.literal(true) }),
);

export type HandoffAccepted = z.infer<typeof handoffAcceptedSchema>;
