import * as z from 'zod';
import { id, text } from '../../fields.ts';
import { ENVELOPE_KINDS } from '../markers.ts';

/** runtime:values */
export const prioritySchema = z.enum(['low', 'normal', 'high', 'critical']);

export const idListSchema = z.array(id());

/** The kind of the event that an ack or a dead letter is about. */
export const refKindSchema = z.enum(ENVELOPE_KINDS);

/** runtime:required: a skill is named by name and version; where it lies is the node's own matter. */
export const skillRefSchema = z.object({ name: text(), version: text(), path: z.string().optional() });
