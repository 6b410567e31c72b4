import * as z from 'zod';
import { id, text } from '../../fields.ts';
import { envelope } from './envelope.ts';

/** runtime:required */
export const replySchema = envelope('reply', z.object({ refEventId: id(), body: text() }));

export type ReplyEnvelope = z.infer<typeof replySchema>;
