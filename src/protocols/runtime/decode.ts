import { NDJSON_LINE_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import type { Verdict } from '../codec.ts';
import { hasMarker } from '../detect.ts';
import type { Issue } from '../issue.ts';
import { readJson, startsLikeJson } from '../json-text.ts';
import { judgeValue, malformed } from '../judge-value.ts';
import { isLargerThan } from '../text-size.ts';
import { JUDGED, JUDGED_NO_KIND, JUDGED_TASK_ACK, type RuntimeMessage } from './kinds.ts';
import { hasTaskPayload, kindNamed } from './markers.ts';

const FOREIGN = { verdict: 'foreign', warnings: [] } as const;

export function decodeRuntime(text: string): Verdict<RuntimeMessage> {
  if (!startsLikeJson(text)) return FOREIGN;
  if (isLargerThan(text, NDJSON_LINE_BYTES_MAX)) {
    const issue: Issue = { path: [], kind: 'over-limit', what: 'size', max: NDJSON_LINE_BYTES_MAX, unit: 'bytes' };
    return malformed({ kind: null, code: 'invalid_json' }, [issue]);
  }
  const reading = readJson(text);
  if (reading.kind === 'value') return decodeRuntimeValue(reading.value);
  if (reading.value !== undefined && !hasMarker('runtime', reading.value)) return FOREIGN;
  return malformed({ kind: kindNamed(reading.value), code: 'invalid_json' }, [reading.issue], reading.value);
}

export function decodeRuntimeValue(value: unknown): Verdict<RuntimeMessage> {
  if (!hasMarker('runtime', value)) return FOREIGN;
  const kind = kindNamed(value);
  if (kind === null) {
    const verdict = judgeValue(value, JUDGED_NO_KIND);
    return verdict.verdict === 'malformed' ? { ...verdict, kind: null } : verdict;
  }
  return judgeValue(value, kind === 'ack' && hasTaskPayload(value) ? JUDGED_TASK_ACK : JUDGED[kind]);
}
