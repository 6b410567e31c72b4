import * as z from 'zod';
import { count, freeForm, id, instant, text } from '../../fields.ts';
import { ENVELOPE_KINDS, type EnvelopeKind } from '../markers.ts';

/** runtime:values */
export const runtimePrioritySchema = z.enum(['low', 'normal', 'high', 'critical']);

export const idListSchema = z.array(id());

/** The kind of the event that an ack or a dead letter is about. */
export const refKindSchema = z.enum(ENVELOPE_KINDS);

/** runtime:required: name and version identify a skill; its path is local to a node. */
export const skillRefSchema = z.object({ name: text(), version: text(), path: z.string().optional() });

const traceSchema = z.object({
  attempt: count(1),
  routingPolicyVersion: z.string().optional(),
  capabilityPolicyVersion: z.string().optional(),
});

/** Runtime §1: the fields of every event of the data plane. Rule 3: replies, acks and task events carry a corrId. */
export function envelope<Kind extends EnvelopeKind, Payload extends z.ZodType>(kind: Kind, payload: Payload) {
  return z.object({ ...before(z.literal(kind)), corrId: id(), ...after(payload) });
}

/** runtime:required: message, signal and dead_letter may omit corrId. */
export function uncorrelatedEnvelope<Kind extends EnvelopeKind, Payload extends z.ZodType>(
  kind: Kind,
  payload: Payload,
) {
  return z.object({ ...before(z.literal(kind)), corrId: id().optional(), ...after(payload) });
}

/** Judges the envelope of an event of unknown kind; its payload is not judged. */
export const envelopeOfNoKindSchema = z.object({
  ...before(z.enum(ENVELOPE_KINDS)),
  corrId: id().optional(),
  ...after(freeForm()),
});

function before<Kind extends z.ZodType>(kind: Kind) {
  return {
    eventId: id(),
    seq: count(1),
    kind,
    sourceNodeId: id(),
    sourceAgentId: id(),
    toAgentId: id().optional(),
  };
}

function after<Payload extends z.ZodType>(payload: Payload) {
  return { createdAt: instant(), expiresAt: instant().optional(), payload, trace: traceSchema };
}
