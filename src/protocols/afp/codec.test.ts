import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NDJSON_LINE_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import { afpCodec } from './codec.ts';
import type { AfpMessage } from './schema.ts';

const request = { protocol_version: '1.2', iteration: 1, artifact: { media_type: 'text/plain', content: 'An idea.' } };
const followUp = {
  ...request,
  iteration: 2,
  applied_feedback: { items: [{ id: 'a', status: 'partial', reason_code: 'late', explanation: 'b' }] },
};
const response = {
  protocol_version: '1.2',
  iteration: 1,
  status: 'success',
  feedback: {
    confidence: { level: 'medium', justification: 'The idea is short.' },
    positive_points: [{ aspect: 'Comfort', justification: 'Many ask for it.' }],
    areas_for_improvement: [{ id: 'scope-01', aspect: 'Scope', description: 'Vague.', recommendation: 'Say more.' }],
    general_summary: 'Worth a plan.',
  },
  applied_feedback_ack: { items: [{ id: 'a', processing_status: 'unknown_id' }] },
};
const failure = { protocol_version: '1.2', iteration: 1, status: 'error', error: { code: 'OWN_CODE', message: 'No.' } };

test('AFP takes a text that is not its own as foreign', () => {
  for (const text of [
    '',
    'words',
    '7',
    '[]',
    '{}',
    '[{"artifact":1}]',
    '{"protocol_version":"1.2"}',
    '{"a":1,"a":2}',
  ]) {
    assert.equal(afpCodec.decode(text).verdict, 'foreign', text);
  }
});

test('AFP refuses what is no JSON with the code of a bad request', () => {
  const repeated = '{"artifact":1,"artifact":2}';
  for (const text of ['{', '{"artifact":', '['.repeat(65), repeated, ' '.repeat(NDJSON_LINE_BYTES_MAX + 1)]) {
    const verdict = afpCodec.decode(text);
    assert.equal(verdict.verdict === 'malformed' && verdict.code, 'INVALID_REQUEST', text.slice(0, 40));
  }
});

test('AFP reads an object without a marker as the kind it is told', () => {
  const verdict = afpCodec.decodeValue({ status: 'success' }, { kind: 'response' });
  assert.equal(verdict.verdict === 'malformed' && verdict.code, 'INVALID_RESPONSE');
  assert.equal(afpCodec.decodeValue({ status: 'success' }, { kind: 'unknown-kind' }).verdict, 'foreign');
});

test('AFP writes the fields in the order of the document and keeps own ones last', () => {
  for (const message of [request, followUp, response, failure]) {
    const mixed = reversed(message) as AfpMessage;
    assert.equal(afpCodec.encode(mixed), JSON.stringify(message));
  }
  const own = { 'x-a': 1, ...request } as unknown as AfpMessage;
  assert.equal(afpCodec.encode(own), JSON.stringify({ ...request, 'x-a': 1 }));
});

test('AFP has a schema for each of its kinds and for no other', () => {
  for (const kind of afpCodec.kinds) assert.ok(afpCodec.schemaOf(kind));
  assert.equal(afpCodec.schemaOf('toString'), undefined);
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!(value instanceof Object)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, reversed(item)] as const);
  return Object.fromEntries(entries.reverse());
}
