import * as z from 'zod';
import { freeForm, id, instant, taskName } from '../../fields.ts';

/** In the order of the document's table. */
export const MESSAGE_TYPES = [
  'completion.report',
  'status.update',
  'handoff.request',
  'handoff.accepted',
  'handoff.rejected',
] as const;

export type AofMessageType = (typeof MESSAGE_TYPES)[number];

/** AOF/1, Envelope Fields; `projectId` is aof:project. */
export function envelope<Type extends AofMessageType, Payload extends z.ZodType>(type: Type, payload: Payload) {
  return z.object({ ...head, type: z.literal(type), ...route, payload });
}

const head = { protocol: z.literal('aof'), version: z.literal(1) };
const route = {
  projectId: id().optional(),
  taskId: taskName(),
  fromAgent: id(),
  toAgent: id(),
  sentAt: instant(),
};

/** For a message that does not say its type: all else that is wrong with it can still be told. */
export const untypedEnvelopeSchema = z.object({ ...head, type: z.enum(MESSAGE_TYPES), ...route, payload: freeForm() });
