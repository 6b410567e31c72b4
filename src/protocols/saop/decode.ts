import * as z from 'zod';
import { NDJSON_LINE_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import { isJsonObject, type JsonObject } from '../../domain/words/json-object.ts';
import type { DecodeHints, Verdict } from '../codec.ts';
import { hasMarker } from '../detect.ts';
import { freeForm, id, uuid } from '../fields.ts';
import type { Issue } from '../issue.ts';
import { readJson, startsLikeJson } from '../json-text.ts';
import { judgeValue, type MessageKind, malformed } from '../judge-value.ts';
import { type EventTypes, type JudgePayload, payloadJudges } from '../registered-schemas.ts';
import { isLargerThan, withoutLineEnd } from '../text-size.ts';
import { isBarePayload, isSaopKind, SAOP_KINDS, type SaopKind, saopKindOf } from './kinds.ts';
import type { SaopMessage } from './schema.ts';

const FOREIGN = { verdict: 'foreign', warnings: [] } as const;

export function decodeSaop(text: string, hints: DecodeHints = {}): Verdict<SaopMessage> {
  if (isLargerThan(withoutLineEnd(text), NDJSON_LINE_BYTES_MAX)) return tooLarge();
  if (!startsLikeJson(text)) return FOREIGN;
  const reading = readJson(text);
  if (reading.kind === 'value') return decodeSaopValue(reading.value, hints);
  const kind = kindNamed(reading.value, hints);
  if (reading.value !== undefined && kind === null) return FOREIGN;
  return malformed({ kind, code: 'invalid_json' }, [reading.issue], reading.value);
}

export function decodeSaopValue(value: unknown, hints: DecodeHints = {}): Verdict<SaopMessage> {
  const kind = kindNamed(value, hints);
  if (kind === null) return FOREIGN;
  if (kind === 'event' && isBarePayload(value as JsonObject)) return wrapperMissing(value);
  const registered = kind === 'event' && registeredKind(hints.eventTypes ?? {}, value as JsonObject);
  return judgeValue(value, registered || SAOP_KINDS[kind]);
}

/** Null for a value that is not a SAOP message; a hint gives the kind of an object without a marker. */
function kindNamed(value: unknown, hints: DecodeHints): SaopKind | null {
  if (!isJsonObject(value)) return null;
  if (hasMarker('saop', value)) return saopKindOf(value);
  return isSaopKind(hints.kind) ? hints.kind : null;
}

/** One error that names the bare payload, instead of a warning for each of its fields. */
function wrapperMissing(value: unknown): Verdict<never> {
  const missing = ['event_id', 'session_id', 'payload'].map((field): Issue => ({ path: [field], kind: 'missing' }));
  return malformed({ kind: 'event', code: 'invalid_event' }, missing, value);
}

function tooLarge(): Verdict<never> {
  const issue: Issue = { path: [], kind: 'over-limit', what: 'size', max: NDJSON_LINE_BYTES_MAX, unit: 'bytes' };
  return malformed({ kind: null, code: 'payload_too_large' }, [issue]);
}

/** The kind of an event whose type was registered; null for every other. */
function registeredKind(types: EventTypes, { payload }: JsonObject): MessageKind<SaopMessage> | null {
  const type = isJsonObject(payload) ? payload.type : null;
  if (typeof type !== 'string' || !Object.hasOwn(types, type)) return null;
  const judge = payloadJudges(types)[type];
  return judge === undefined ? null : kindWith(judge);
}

const WRAPPER = z.looseObject({ event_id: uuid(), session_id: id(), payload: freeForm() });

function kindWith(judge: JudgePayload): MessageKind<SaopMessage> {
  return {
    kind: 'event',
    schema: WRAPPER as unknown as z.ZodType<SaopMessage>,
    rules: [(message) => judge((message as unknown as { readonly payload: JsonObject }).payload)],
    advice: [],
    unknownFields: () => 'keep',
    codeOf: () => 'invalid_event',
  };
}
