import { type EventAckEnvelope, eventAckSchema, type TaskAckEnvelope } from './ack.ts';
import { type DeadLetterEnvelope, deadLetterSchema } from './dead-letter.ts';
import { type MessageEnvelope, messageSchema } from './message.ts';
import { type ReplyEnvelope, replySchema } from './reply.ts';
import { type SignalEnvelope, signalSchema } from './signal.ts';
import { TASK_EVENT_SCHEMAS, type TaskEnvelope } from './task-events.ts';

export type RuntimeEnvelope =
  | MessageEnvelope
  | ReplyEnvelope
  | EventAckEnvelope
  | TaskAckEnvelope
  | TaskEnvelope
  | SignalEnvelope
  | DeadLetterEnvelope;

/** What goes over the data plane, by `kind`. */
export const EVENT_SCHEMAS = {
  message: messageSchema,
  reply: replySchema,
  ack: eventAckSchema,
  ...TASK_EVENT_SCHEMAS,
  signal: signalSchema,
  dead_letter: deadLetterSchema,
} as const;
