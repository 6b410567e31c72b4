import * as z from 'zod';
import { id, instant, percentage, text } from '../../fields.ts';
import { envelope } from './envelope.ts';

/** Runtime §4; `status` is free (runtime:values). */
const taskUpdatePayloadSchema = z.object({
  taskId: id(),
  status: text(),
  progress: percentage().optional(),
  note: z.string().optional(),
  revisedEtaAt: instant().optional(),
});

export const taskUpdateSchema = envelope('task_update', taskUpdatePayloadSchema);

export type TaskUpdateEnvelope = z.infer<typeof taskUpdateSchema>;
