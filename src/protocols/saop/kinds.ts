import type { JsonObject } from '../../domain/words/json-object.ts';
import type { MessageKind } from '../judge-value.ts';
import { EventPayloadSchema, EventSchema, type SaopMessage, TurnEnvelopeSchema } from './schema.ts';

export const SAOP_SCHEMAS = { turn: TurnEnvelopeSchema, event: EventSchema } as const;

export type SaopKind = keyof typeof SAOP_SCHEMAS;

export const SAOP_KINDS: Record<SaopKind, MessageKind<SaopMessage>> = {
  turn: judged('turn', 'invalid_turn'),
  event: judged('event', 'invalid_event'),
};

const PAYLOAD_TYPES: readonly unknown[] = EventPayloadSchema.options.map((option) => option.shape.type.value);

export function isSaopKind(kind: string | undefined): kind is SaopKind {
  return kind !== undefined && Object.hasOwn(SAOP_SCHEMAS, kind);
}

/** The kind that a message with a marker of SAOP claims to be. */
export function saopKindOf(value: JsonObject): SaopKind {
  return isWrapped(value) || isBarePayload(value) ? 'event' : 'turn';
}

/** A payload without its wrapper. Only THOUGHT_STREAM is recognised as SAOP alone, by its turn_index. */
export function isBarePayload(value: JsonObject): boolean {
  return !isWrapped(value) && PAYLOAD_TYPES.includes(value.type);
}

function isWrapped(value: JsonObject): boolean {
  return Object.hasOwn(value, 'event_id') && Object.hasOwn(value, 'payload');
}

function judged(kind: SaopKind, code: string): MessageKind<SaopMessage> {
  return { kind, schema: SAOP_SCHEMAS[kind], rules: [], advice: [], unknownFields: () => 'keep', codeOf: () => code };
}
