import { AOF_MESSAGE_BYTES_MAX } from '../../domain/limits.ts';
import { isJsonObject } from '../../domain/words/json-object.ts';
import type { DecodeHints, Foreign, Verdict } from '../codec.ts';
import { AOF_PREFIX, hasMarker } from '../detect.ts';
import { type JsonReading, readJson, startsLikeJson } from '../json-text.ts';
import { judgeValue, malformed } from '../judge-value.ts';
import { isLargerThan, withoutLineEnd } from '../text-size.ts';
import { type AofFileKind, aofKindOfFile, isFileKind } from './file-kinds.ts';
import { AOF_KINDS, type AofMessage, UNTYPED_ENVELOPE } from './kinds.ts';
import { withReadableCriteria } from './rules.ts';
import type { AofArtifact } from './schema/files.ts';
import { AOF_MESSAGE_TYPES, type AofEnvelope, type AofMessageType } from './schema/messages.ts';
import { readTaskFile, readTaskValue } from './task-file.ts';

const FOREIGN: Foreign = { verdict: 'foreign', warnings: [] };

/** AOF/1, Message Detection. A marker in the text wins; without one the caller or the file name decides. */
export function decodeAof(text: string, hints: DecodeHints = {}): Verdict<AofMessage> {
  const hinted = kindHinted(hints);
  if (isLargerThan(withoutLineEnd(text), AOF_MESSAGE_BYTES_MAX)) return tooLarge(hinted);
  // aof:detection: the prefix is a marker.
  if (text.startsWith(AOF_PREFIX)) return decodeReading(readJson(text.slice(AOF_PREFIX.length)));
  if (!startsLikeJson(text) && (hinted === null || hinted === 'task')) return withoutMarker(text, hinted);
  const reading = readJson(text);
  if (hasMarker('aof', reading.value)) return decodeReading(reading);
  if (hinted === 'task') return readTaskFile(text);
  if (hinted === null && reading.value !== undefined) return FOREIGN;
  if (reading.kind === 'broken')
    return malformed({ kind: hinted, code: 'invalid_json' }, [reading.issue], reading.value);
  return hinted === null ? FOREIGN : decodeArtifact(reading.value, hinted);
}

export function decodeAofValue(value: unknown, hints: DecodeHints = {}): Verdict<AofMessage> {
  if (hasMarker('aof', value)) return decodeEnvelope(value);
  const hinted = kindHinted(hints);
  if (hinted === null) return FOREIGN;
  return hinted === 'task' ? readTaskValue(value) : decodeArtifact(value, hinted);
}

function kindHinted({ kind, fileName }: DecodeHints): AofFileKind | null {
  if (isFileKind(kind)) return kind;
  return fileName === undefined ? null : aofKindOfFile(fileName);
}

function withoutMarker(text: string, hinted: 'task' | null): Verdict<AofMessage> {
  return hinted === null ? FOREIGN : readTaskFile(text);
}

/** common:codes: size is checked first. */
function tooLarge(kind: AofFileKind | null): Verdict<never> {
  const max = AOF_MESSAGE_BYTES_MAX;
  return malformed({ kind, code: 'payload_too_large' }, [
    { path: [], kind: 'over-limit', what: 'size', max, unit: 'bytes' },
  ]);
}

/** Decodes a text that claims to be an AOF message. */
function decodeReading(reading: JsonReading): Verdict<AofEnvelope> {
  if (reading.kind === 'value') return decodeEnvelope(reading.value);
  const type = isJsonObject(reading.value) ? reading.value.type : undefined;
  return malformed({ kind: isMessageType(type) ? type : null, code: 'invalid_json' }, [reading.issue], reading.value);
}

/** aof:detection: the type is checked before the rest. */
function decodeEnvelope(value: unknown): Verdict<AofEnvelope> {
  const type = isJsonObject(value) ? value.type : undefined;
  if (isMessageType(type)) return withoutBadCriteria(judgeValue(value, AOF_KINDS[type]) as Verdict<AofEnvelope>);
  if (typeof type === 'string') {
    const options = AOF_MESSAGE_TYPES;
    return malformed(
      { kind: null, code: 'unknown_type' },
      [{ path: ['type'], kind: 'not-one-of', options, got: type }],
      value,
    );
  }
  const verdict = judgeValue(value, UNTYPED_ENVELOPE) as Verdict<AofEnvelope>;
  return verdict.verdict === 'malformed' ? { ...verdict, kind: null } : verdict;
}

function withoutBadCriteria(verdict: Verdict<AofEnvelope>): Verdict<AofEnvelope> {
  if (verdict.verdict !== 'accepted' || verdict.message.type !== 'handoff.request') return verdict;
  const { message } = verdict;
  const payload = withReadableCriteria(message.payload);
  return payload === message.payload ? verdict : { ...verdict, message: { ...message, payload } };
}

function isMessageType(type: unknown): type is AofMessageType {
  return (AOF_MESSAGE_TYPES as readonly unknown[]).includes(type);
}

/** Decodes a JSON file of the tree, or a line of its events, whose kind the caller knows. */
function decodeArtifact(value: unknown, kind: Exclude<AofFileKind, 'task'>): Verdict<AofArtifact> {
  const verdict = judgeValue(value, AOF_KINDS[kind]) as Verdict<AofArtifact>;
  if (verdict.verdict !== 'accepted' || kind !== 'handoff' || !('parentTaskId' in verdict.message)) return verdict;
  return { ...verdict, message: withReadableCriteria(verdict.message) };
}
