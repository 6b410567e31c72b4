import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../../domain/json-object.ts';
import { freeForm, id, uuid } from '../fields.ts';
import type { MessageKind } from '../judge-value.ts';
import { type EventTypes, type JudgePayload, payloadJudges } from '../registered-schemas.ts';
import type { SaopMessage } from './schema.ts';

/** The kind of an event whose type was registered; null for every other. */
export function registeredKind(types: EventTypes, { payload }: JsonObject): MessageKind<SaopMessage> | null {
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
