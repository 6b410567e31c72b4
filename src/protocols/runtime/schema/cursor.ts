import * as z from 'zod';
import { count, id, instant, text } from '../../fields.ts';

/** Runtime §6: the record delivery.cursors.<consumerNodeId>.<sourceNodeId>. Before the first event lastSeq is 0. */
export const cursorSchema = z.object({
  consumerNodeId: id(),
  sourceNodeId: id(),
  lastSeq: count(),
  updatedAt: instant(),
  status: z.enum(['active', 'stale']),
  leaseExpiresAt: instant(),
  epoch: text(),
});

export type Cursor = z.infer<typeof cursorSchema>;
