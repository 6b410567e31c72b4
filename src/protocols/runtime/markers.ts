import { isJsonObject } from '../../domain/words/json-object.ts';

/** runtime:kinds */
export const ENVELOPE_KINDS = [
  'message',
  'reply',
  'ack',
  'task_create',
  'task_accept',
  'task_update',
  'task_complete',
  'task_failed',
  'signal',
  'dead_letter',
] as const;

/** Control plane records have no `kind` field; their ids distinguish them. */
export const RECORD_KINDS = ['catalog', 'index', 'cursor', 'review'] as const;

export type EnvelopeKind = (typeof ENVELOPE_KINDS)[number];
export type RecordKind = (typeof RECORD_KINDS)[number];
export type RuntimeKind = EnvelopeKind | RecordKind;

/** The kind that a value claims to be; null for an envelope that names none of the ten kinds. */
export function kindNamed(value: unknown): RuntimeKind | null {
  if (!isJsonObject(value)) return null;
  if (Object.hasOwn(value, 'reviewId')) return 'review';
  if (Object.hasOwn(value, 'consumerNodeId')) return 'cursor';
  const isEnvelope = Object.hasOwn(value, 'eventId') || (Object.hasOwn(value, 'seq') && Object.hasOwn(value, 'kind'));
  if (isEnvelope) return isEnvelopeKind(value.kind) ? value.kind : null;
  if (!Object.hasOwn(value, 'capabilityId')) return null;
  return Object.hasOwn(value, 'eligibleAgentIds') ? 'index' : 'catalog';
}

/** runtime:task-ack: in the minimal profile an ack with a task payload replaces task_accept. */
export function hasTaskPayload(value: unknown): boolean {
  const payload = isJsonObject(value) ? value.payload : undefined;
  if (!isJsonObject(payload) || Object.hasOwn(payload, 'refEventId')) return false;
  return Object.hasOwn(payload, 'taskId') || Object.hasOwn(payload, 'acceptedByAgentId');
}

function isEnvelopeKind(kind: unknown): kind is EnvelopeKind {
  return (ENVELOPE_KINDS as readonly unknown[]).includes(kind);
}
