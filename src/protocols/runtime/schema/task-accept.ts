import * as z from 'zod';
import { count, id, instant } from '../../fields.ts';
import { envelope } from './envelope.ts';

/** Runtime §4 */
export const taskAcceptShape = {
  taskId: id(),
  acceptedByAgentId: id(),
  etaAt: instant().optional(),
  etaSeconds: count().optional(),
  planSummary: z.string().optional(),
};

export const taskAcceptSchema = envelope('task_accept', z.object(taskAcceptShape));

export type TaskAcceptEnvelope = z.infer<typeof taskAcceptSchema>;
