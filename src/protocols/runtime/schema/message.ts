import * as z from 'zod';
import { id, text } from '../../fields.ts';
import { uncorrelatedEnvelope } from './envelope.ts';
import { prioritySchema } from './parts.ts';

/** Runtime §3 */
const messagePayloadSchema = z.object({
  toAgents: z.array(id()).min(1),
  subject: z.string().optional(),
  body: text(),
  priority: prioritySchema.optional(),
  expectsReply: z.boolean().optional(),
});

export const messageSchema = uncorrelatedEnvelope('message', messagePayloadSchema);

export type MessageEnvelope = z.infer<typeof messageSchema>;
