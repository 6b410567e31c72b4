import type { JsonObject } from '../../domain/words/json-object.ts';
import type { MessageKind } from '../judge-value.ts';
import {
  agentPayloadFields,
  appliedFeedbackMissing,
  areaIdRepeated,
  bodyContradictsStatus,
  contentContradictsMediaType,
  iterationZeroWithoutError,
  reasonMissing,
} from './rules.ts';
import {
  type AfpMessage,
  type AfpRequest,
  type AfpResponse,
  requestSchema,
  responseSchema,
  stepFinishSchema,
  stepStartSchema,
  textSchema,
} from './schema.ts';

export const AFP_SCHEMAS = {
  request: requestSchema,
  response: responseSchema,
  step_start: stepStartSchema,
  text: textSchema,
  step_finish: stepFinishSchema,
} as const;

export type AfpKind = keyof typeof AFP_SCHEMAS;

export const WRAPPER_TYPES = ['step_start', 'text', 'step_finish'] as const;

const requestKind: MessageKind<AfpRequest> = {
  kind: 'request',
  schema: requestSchema,
  rules: [contentContradictsMediaType],
  advice: [appliedFeedbackMissing, reasonMissing],
  unknownFields: agentPayloadFields,
  codeOf: () => 'INVALID_REQUEST',
};

const responseKind: MessageKind<AfpResponse> = {
  kind: 'response',
  schema: responseSchema,
  rules: [bodyContradictsStatus, iterationZeroWithoutError, areaIdRepeated],
  advice: [],
  unknownFields: agentPayloadFields,
  codeOf: () => 'INVALID_RESPONSE',
};

export const AFP_KINDS = {
  request: requestKind as MessageKind<AfpMessage>,
  response: responseKind as MessageKind<AfpMessage>,
  step_start: wrapperKind('step_start'),
  text: wrapperKind('text'),
  step_finish: wrapperKind('step_finish'),
} as const;

export function isAfpKind(kind: string | undefined): kind is AfpKind {
  return kind !== undefined && Object.hasOwn(AFP_SCHEMAS, kind);
}

/** The kind that a message with a marker of AFP claims to be; null for a wrapper line of unknown type. */
export function afpKindOf(value: JsonObject): AfpKind | null {
  if (Object.hasOwn(value, 'type') && Object.hasOwn(value, 'sessionID')) {
    return WRAPPER_TYPES.find((type) => type === value.type) ?? null;
  }
  const answers = ['status', 'feedback', 'error', 'applied_feedback_ack'].some((key) => Object.hasOwn(value, key));
  return answers ? 'response' : 'request';
}

/** Real tools add fields to their lines; they are retained without a warning. */
function wrapperKind(kind: (typeof WRAPPER_TYPES)[number]): MessageKind<AfpMessage> {
  return {
    kind,
    schema: AFP_SCHEMAS[kind],
    rules: [],
    advice: [],
    unknownFields: () => 'allow',
    codeOf: () => 'INVALID_STREAM',
  };
}
