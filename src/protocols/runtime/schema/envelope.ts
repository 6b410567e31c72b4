import * as z from 'zod';
import { count, freeForm, id, instant } from '../../fields.ts';
import { ENVELOPE_KINDS, type EnvelopeKind } from '../markers.ts';

const traceSchema = z.object({
  attempt: count(1),
  routingPolicyVersion: z.string().optional(),
  capabilityPolicyVersion: z.string().optional(),
});

/** Runtime §1: what every event of the data plane carries. Rule 3: replies, acks and task events name their corrId. */
export function envelope<Kind extends EnvelopeKind, Payload extends z.ZodType>(kind: Kind, payload: Payload) {
  return z.object({ ...before(z.literal(kind)), corrId: id(), ...after(payload) });
}

/** runtime:required: message, signal and dead_letter may go without corrId. */
export function uncorrelatedEnvelope<Kind extends EnvelopeKind, Payload extends z.ZodType>(
  kind: Kind,
  payload: Payload,
) {
  return z.object({ ...before(z.literal(kind)), corrId: id().optional(), ...after(payload) });
}

/** For an event whose kind is not known: the envelope is still judged, its payload is not. */
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
