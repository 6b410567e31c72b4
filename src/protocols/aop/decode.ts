import {
  AOP_RESPONSE_BYTES_MAX,
  AOP_TASK_BYTES_MAX,
  NDJSON_LINE_BYTES_MAX,
} from '../../domain/federation/message-limits.ts';
import { isJsonObject, type JsonObject } from '../../domain/words/json-object.ts';
import type { Foreign, Verdict } from '../codec.ts';
import { hasMarker } from '../detect.ts';
import type { Issue } from '../issue.ts';
import { readJson, startsLikeJson } from '../json-text.ts';
import { judgeValue, malformed, toWarnings, type UnknownFieldPolicy } from '../judge-value.ts';
import { isLargerThan, withoutLineEnd } from '../text-size.ts';
import { type AopMessage, kindOf } from './kinds.ts';
import { AOP_MESSAGE_TYPES, EVENT_NAMES } from './markers.ts';
import { DEFAULT_GUARD_RAILS, tooManyItems } from './rules.ts';
import { isV1Markdown, readV1Markdown } from './v1-markdown.ts';

/** aop:versions: in these an unknown field is an error; in any other 2.* it is dropped with a warning. */
const KNOWN_VERSIONS: readonly unknown[] = ['2.0.0', '2.0.1-M', '2.0.1-E', '2.0.2-C'];

/** AOP §1.3: JSON with a 2.* version, else v1 markdown, else not AOP. */
export function decodeAop(text: string, guardRails = DEFAULT_GUARD_RAILS): Verdict<AopMessage> {
  if (isLargerThan(text, NDJSON_LINE_BYTES_MAX)) return overflow(null, NDJSON_LINE_BYTES_MAX);
  if (!startsLikeJson(text)) {
    if (!isV1Markdown(text)) return notAop([]);
    return { verdict: 'accepted', kind: 'V1', message: readV1Markdown(text), warnings: [] };
  }
  const reading = readJson(text);
  if (reading.kind === 'broken') {
    if (reading.value !== undefined && !hasMarker('aop', reading.value)) return decodeAopValue(reading.value);
    return malformed({ kind: kindNamed(reading.value), code: 'E_PARSE_FAILURE' }, [reading.issue], reading.value);
  }
  return sizeOverflow(reading.value, withoutLineEnd(text)) ?? decodeAopValue(reading.value, guardRails);
}

export function decodeAopValue(value: unknown, guardRails = DEFAULT_GUARD_RAILS): Verdict<AopMessage> {
  if (!isJsonObject(value)) return notAop([]);
  if (!hasMarker('aop', value)) return notAop([versionWarning(value)]);
  const kind = kindNamed(value);
  const overCounts = kind === 'TASK' ? tooManyItems(value) : [];
  if (overCounts.length > 0) return malformed({ kind, code: 'E_CONTEXT_OVERFLOW' }, overCounts, value);
  const shape = kind === null ? null : kindOf(kind, guardRails);
  if (!shape) return malformed({ kind: null, code: 'E_SCHEMA_VALIDATION' }, [wrongType(value)], value);
  return judgeValue(value, { ...shape, unknownFields: policyFor(value.aop_version) });
}

function policyFor(version: unknown): UnknownFieldPolicy {
  return KNOWN_VERSIONS.includes(version) ? () => 'refuse' : () => 'drop';
}

/** TASK, RESPONSE or the name of the event; null where the message does not say which it is. */
function kindNamed(value: unknown): string | null {
  if (!isJsonObject(value)) return null;
  const { message_type: type, event } = value;
  if (type === 'TASK' || type === 'RESPONSE') return type;
  return type === 'EVENT' && (EVENT_NAMES as readonly unknown[]).includes(event) ? String(event) : null;
}

function wrongType(value: JsonObject): Issue {
  const field = value.message_type === 'EVENT' ? 'event' : 'message_type';
  const got = value[field];
  if (got === undefined) return { path: [field], kind: 'missing' };
  return { path: [field], kind: 'not-one-of', options: field === 'event' ? EVENT_NAMES : AOP_MESSAGE_TYPES, got };
}

/** common:codes: size is checked before the schema. */
function sizeOverflow(value: unknown, text: string): Verdict<never> | null {
  const kind = hasMarker('aop', value) ? kindNamed(value) : null;
  const bytesMax = kind === 'TASK' ? AOP_TASK_BYTES_MAX : kind === 'RESPONSE' ? AOP_RESPONSE_BYTES_MAX : null;
  return bytesMax !== null && isLargerThan(text, bytesMax) ? overflow(kind, bytesMax) : null;
}

function overflow(kind: string | null, max: number): Verdict<never> {
  const issue: Issue = { path: [], kind: 'over-limit', what: 'size', max, unit: 'bytes' };
  return malformed({ kind, code: 'E_CONTEXT_OVERFLOW' }, [issue]);
}

function notAop(warnings: readonly Issue[]): Foreign {
  return { verdict: 'foreign', warnings: toWarnings(null, warnings) };
}

function versionWarning(value: JsonObject): Issue {
  const path = ['aop_version'];
  if (value.aop_version === undefined) {
    return { path, code: 'missing_aop_version', kind: 'note', text: 'is missing, so this is not an AOP message' };
  }
  return {
    path,
    code: 'unsupported_aop_version',
    kind: 'note',
    text: 'does not start with 2., so this is not read as AOP v2',
  };
}
