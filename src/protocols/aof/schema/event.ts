import * as z from 'zod';
import { count, freeForm, id, instant, taskName, text } from '../../fields.ts';

/** aof:event-lines: one line of events/YYYY-MM-DD.jsonl. A message that cannot be read names no task. */
export const eventSchema = z.object({
  eventId: count(1),
  type: text(),
  timestamp: instant(),
  actor: id(),
  taskId: taskName().optional(),
  payload: freeForm().optional(),
});

export type AofEvent = z.infer<typeof eventSchema>;
