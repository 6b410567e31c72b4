import * as z from 'zod';
import { id, instant } from '../../fields.ts';
import { envelope } from './envelope.ts';

/** Runtime §4 */
const taskCompletePayloadSchema = z.object({
  taskId: id(),
  completedByAgentId: id(),
  resultSummary: z.string().optional(),
  resultRef: z.string().optional(),
  completedAt: instant(),
});

export const taskCompleteSchema = envelope('task_complete', taskCompletePayloadSchema);

export type TaskCompleteEnvelope = z.infer<typeof taskCompleteSchema>;
