import { isJsonObject } from '../json-text.ts';

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

/** Control plane records; they have no `kind` field, their ids tell them apart. */
export const RECORD_KINDS = ['catalog', 'index', 'cursor', 'review'] as const;

export type EnvelopeKind = (typeof ENVELOPE_KINDS)[number];
export type RecordKind = (typeof RECORD_KINDS)[number];
export type RuntimeKind = EnvelopeKind | RecordKind;

/** Which message a value means to be; null for an envelope that does not name one of the ten kinds. */
export function kindNamed(value: unknown): RuntimeKind | null {
  if (!isJsonObject(value)) return null;
  if (Object.hasOwn(value, 'reviewId')) return 'review';
  if (Object.hasOwn(value, 'consumerNodeId')) return 'cursor';
  const isEnvelope = Object.hasOwn(value, 'eventId') || (Object.hasOwn(value, 'seq') && Object.hasOwn(value, 'kind'));
  if (isEnvelope) return isEnvelopeKind(value.kind) ? value.kind : null;
  if (!Object.hasOwn(value, 'capabilityId')) return null;
  return Object.hasOwn(value, 'eligibleAgentIds') ? 'index' : 'catalog';
}

/** Runtime §4: in the minimal profile an ack with a task payload stands for task_accept. */
export function hasTaskPayload(value: unknown): boolean {
  const payload = isJsonObject(value) ? value.payload : undefined;
  if (!isJsonObject(payload) || Object.hasOwn(payload, 'refEventId')) return false;
  return Object.hasOwn(payload, 'taskId') || Object.hasOwn(payload, 'acceptedByAgentId');
}

function isEnvelopeKind(kind: unknown): kind is EnvelopeKind {
  return (ENVELOPE_KINDS as readonly unknown[]).includes(kind);
}
