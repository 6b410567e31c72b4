import type { Verdict } from '../codec.ts';
import { isJsonObject, type JsonReading } from '../json-text.ts';
import { judgeValue, malformed } from '../judge-value.ts';
import { AOF_KINDS, UNTYPED_ENVELOPE } from './kinds.ts';
import { withReadableCriteria } from './rules.ts';
import { type AofMessageType, MESSAGE_TYPES } from './schema/envelope.ts';
import type { AofEnvelope } from './schema/messages.ts';

/** A text that is meant as an AOF message, whether or not it is one. */
export function decodeReading(reading: JsonReading): Verdict<AofEnvelope> {
  if (reading.kind === 'value') return decodeEnvelope(reading.value);
  const type = isJsonObject(reading.value) ? reading.value.type : undefined;
  return malformed({ kind: isMessageType(type) ? type : null, code: 'invalid_json' }, [reading.issue], reading.value);
}

/** aof:detection: the type is looked at before the rest. */
export function decodeEnvelope(value: unknown): Verdict<AofEnvelope> {
  const type = isJsonObject(value) ? value.type : undefined;
  if (isMessageType(type)) return withoutBadCriteria(judgeValue(value, AOF_KINDS[type]) as Verdict<AofEnvelope>);
  if (typeof type === 'string') {
    const options = MESSAGE_TYPES;
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
  return (MESSAGE_TYPES as readonly unknown[]).includes(type);
}
