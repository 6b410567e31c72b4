import type * as z from 'zod';
import { freeForm } from '../../fields.ts';
import { uncorrelatedEnvelope } from './envelope.ts';

/** runtime:kinds: what a signal says is between its sender and its reader. */
export const signalSchema = uncorrelatedEnvelope('signal', freeForm());

export type SignalEnvelope = z.infer<typeof signalSchema>;
