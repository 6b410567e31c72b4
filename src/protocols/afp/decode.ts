import { NDJSON_LINE_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import { isJsonObject, type JsonObject } from '../../domain/words/json-object.ts';
import type { DecodeHints, Verdict } from '../codec.ts';
import { hasMarker } from '../detect.ts';
import type { Issue } from '../issue.ts';
import { readJson, startsLikeJson } from '../json-text.ts';
import { judgeValue, malformed } from '../judge-value.ts';
import { isLargerThan, withoutLineEnd } from '../text-size.ts';
import { AFP_KINDS, type AfpKind, afpKindOf, isAfpKind, WRAPPER_TYPES } from './kinds.ts';
import type { AfpMessage } from './schema.ts';

const FOREIGN = { verdict: 'foreign', warnings: [] } as const;

export function decodeAfp(text: string, hints: DecodeHints = {}): Verdict<AfpMessage> {
  if (isLargerThan(withoutLineEnd(text), NDJSON_LINE_BYTES_MAX)) return tooLarge();
  if (!startsLikeJson(text)) return FOREIGN;
  const reading = readJson(text);
  if (reading.kind === 'value') return decodeAfpValue(reading.value, hints);
  const kind = kindNamed(reading.value, hints);
  if (reading.value !== undefined && kind === 'none') return FOREIGN;
  return malformed({ kind: kind === 'none' ? null : kind, code: 'INVALID_REQUEST' }, [reading.issue], reading.value);
}

export function decodeAfpValue(value: unknown, hints: DecodeHints = {}): Verdict<AfpMessage> {
  const kind = kindNamed(value, hints);
  if (kind === 'none') return FOREIGN;
  if (kind === null)
    return malformed({ kind: null, code: 'INVALID_STREAM' }, [unknownType(value as JsonObject)], value);
  return judgeValue(value, AFP_KINDS[kind]);
}

/** A hint gives the kind of an object without a marker. */
function kindNamed(value: unknown, hints: DecodeHints): AfpKind | null | 'none' {
  if (!isJsonObject(value)) return 'none';
  if (hasMarker('afp', value)) return afpKindOf(value);
  return isAfpKind(hints.kind) ? hints.kind : 'none';
}

function unknownType(value: JsonObject): Issue {
  return { path: ['type'], kind: 'not-one-of', options: WRAPPER_TYPES, got: value.type };
}

function tooLarge(): Verdict<never> {
  const issue: Issue = { path: [], kind: 'over-limit', what: 'size', max: NDJSON_LINE_BYTES_MAX, unit: 'bytes' };
  return malformed({ kind: null, code: 'INVALID_REQUEST' }, [issue]);
}
