import * as z from 'zod';
import { id, instant, text } from '../../fields.ts';
import { envelope } from './envelope.ts';

/** Runtime §4; a failureClass that is not known is read as unknown, so any is accepted (runtime:values). */
const taskFailedPayloadSchema = z.object({
  taskId: id(),
  failedByAgentId: id(),
  failureClass: text(),
  errorSummary: z.string().optional(),
  failedAt: instant(),
});

export const taskFailedSchema = envelope('task_failed', taskFailedPayloadSchema);

export type TaskFailedEnvelope = z.infer<typeof taskFailedSchema>;
