import { createHash } from 'node:crypto';
import { ENVELOPE_BYTES_MAX } from '../domain/federation/federation-limits.ts';
import { decodeRuntime } from '../protocols/runtime/decode.ts';
import type { EnvelopeKind } from '../protocols/runtime/markers.ts';
import type { RuntimeEnvelope } from '../protocols/runtime/schema/events.ts';
import { isLargerThan } from '../protocols/text-size.ts';

/** The address that stands for every active agent (Runtime §3.2). */
export const EVERYBODY = 'all';

/** Everything of an envelope, in the order of the document (Runtime §1). */
export interface EnvelopeFacts {
  readonly eventId: string;
  readonly seq: number;
  readonly kind: EnvelopeKind;
  readonly sourceNodeId: string;
  readonly sourceAgentId: string;
  /** Only for one recipient (runtime:recipients). */
  readonly toAgentId: string | null;
  readonly corrId: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly payload: object;
  readonly trace: {
    readonly attempt: number;
    readonly routingPolicyVersion: string;
    readonly capabilityPolicyVersion: string;
  };
}

export function envelopeText(facts: EnvelopeFacts): string {
  const { eventId, seq, kind, sourceNodeId, sourceAgentId, toAgentId, corrId, createdAt, expiresAt, payload, trace } =
    facts;
  const { attempt, routingPolicyVersion, capabilityPolicyVersion } = trace;
  return JSON.stringify({
    eventId,
    seq,
    kind,
    sourceNodeId,
    sourceAgentId,
    ...(toAgentId !== null && { toAgentId }),
    corrId,
    createdAt: isoInstant(createdAt),
    ...(expiresAt !== null && { expiresAt: isoInstant(expiresAt) }),
    payload,
    trace: { attempt, routingPolicyVersion, capabilityPolicyVersion },
  });
}

export function isoInstant(atMs: number): string {
  return new Date(atMs).toISOString();
}

export type EnvelopeReading =
  | { readonly kind: 'envelope'; readonly envelope: RuntimeEnvelope }
  | { readonly kind: 'wrong'; readonly code: string; readonly reason: string };

/** Reads the envelope of a frame. The size is judged before anything is parsed. */
export function readEnvelope(text: string): EnvelopeReading {
  if (isLargerThan(text, ENVELOPE_BYTES_MAX)) {
    return { kind: 'wrong', code: 'payload_too_large', reason: `it is larger than ${ENVELOPE_BYTES_MAX} bytes` };
  }
  const verdict = decodeRuntime(text);
  switch (verdict.verdict) {
    case 'foreign':
      return { kind: 'wrong', code: 'invalid_envelope', reason: 'it is no message of Runtime v1' };
    case 'malformed': {
      const [first] = verdict.errors;
      return { kind: 'wrong', code: verdict.code, reason: `${first?.path ?? ''} ${first?.message ?? ''}`.trim() };
    }
    case 'accepted': {
      const { message } = verdict;
      return 'eventId' in message
        ? { kind: 'envelope', envelope: message }
        : { kind: 'wrong', code: 'invalid_envelope', reason: 'it is a record of the control plane' };
    }
  }
}

/** Two payloads are equal if their JSON texts are. */
export function payloadHash(payload: unknown): string {
  return createHash('sha256').update(JSON.stringify(payload)).digest('base64url');
}

/** Whether an event is for every agent: its publisher did not expand `all` (runtime:recipients). */
export function isForAll(envelope: RuntimeEnvelope): boolean {
  const [only, another] = addressees(envelope);
  return only === EVERYBODY && another === undefined;
}

/** The agents that an envelope names as its recipients. */
export function addressees(envelope: RuntimeEnvelope): readonly string[] {
  if (envelope.toAgentId !== undefined) return [envelope.toAgentId];
  const { payload } = envelope;
  const named = 'toAgents' in payload ? (payload as { readonly toAgents?: readonly string[] }).toAgents : undefined;
  return [...new Set(named ?? [])];
}
