import { AOF_MESSAGE_BYTES_MAX } from '../../domain/limits.ts';
import type { DecodeHints, Foreign, Verdict } from '../codec.ts';
import { AOF_PREFIX, hasMarker } from '../detect.ts';
import { readJson, startsLikeJson } from '../json-text.ts';
import { malformed } from '../judge-value.ts';
import { isLargerThan, withoutLineEnd } from '../text-size.ts';
import { decodeArtifact } from './decode-artifact.ts';
import { decodeEnvelope, decodeReading } from './decode-envelope.ts';
import { type AofFileKind, aofKindOfFile, isFileKind } from './file-kinds.ts';
import type { AofMessage } from './kinds.ts';
import { readTaskFile, readTaskValue } from './task-file.ts';

const FOREIGN: Foreign = { verdict: 'foreign', warnings: [] };

/** AOF/1, Message Detection. A marker in the text wins; a text without one is what the caller or its file name says. */
export function decodeAof(text: string, hints: DecodeHints = {}): Verdict<AofMessage> {
  const hinted = kindHinted(hints);
  if (isLargerThan(withoutLineEnd(text), AOF_MESSAGE_BYTES_MAX)) return tooLarge(hinted);
  // The prefix is a marker: whatever follows it is meant as AOF (aof:detection).
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

/** Size is judged before anything else (common:codes). */
function tooLarge(kind: AofFileKind | null): Verdict<never> {
  const max = AOF_MESSAGE_BYTES_MAX;
  return malformed({ kind, code: 'payload_too_large' }, [
    { path: [], kind: 'over-limit', what: 'size', max, unit: 'bytes' },
  ]);
}
