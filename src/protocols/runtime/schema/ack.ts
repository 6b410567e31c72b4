import * as z from 'zod';
import { count, id, instant } from '../../fields.ts';
import { envelope } from './envelope.ts';
import { refKindSchema } from './parts.ts';
import { taskAcceptShape } from './task-accept.ts';

/** Runtime §5 */
const ackPayloadSchema = z.object({
  refEventId: id(),
  refKind: refKindSchema,
  ackType: z.enum(['accepted', 'processed', 'failed_terminal']),
  ackedByNodeId: id(),
  ackedByAgentId: id().optional(),
  ackedAt: instant(),
  etaAt: instant().optional(),
  etaSeconds: count().optional(),
});

/** Runtime §4, minimal profile: without refEventId, a task payload is judged as one. */
const taskPayloadSchema = z.object({ ...taskAcceptShape, refEventId: z.never().optional() });

export const eventAckSchema = envelope('ack', ackPayloadSchema);
export const taskAckSchema = envelope('ack', taskPayloadSchema);

/** Both profiles, for those who want one schema; a decoder picks one of the two and so says better what is wrong. */
export const ackSchema = envelope('ack', z.union([ackPayloadSchema, taskPayloadSchema]));

export type EventAckEnvelope = z.infer<typeof eventAckSchema>;
export type TaskAckEnvelope = z.infer<typeof taskAckSchema>;
