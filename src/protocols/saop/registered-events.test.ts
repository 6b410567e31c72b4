import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OWN_EVENT_TYPES, whyNoEventType } from '../registered-schemas.ts';
import { decodeSaop } from './decode.ts';
import { EventPayloadSchema } from './schema.ts';

const eventTypes = {
  COVERAGE_MEASURED: {
    type: 'object',
    properties: {
      percent: { type: 'number', minimum: 0, maximum: 100 },
      files: { type: 'array', items: { type: 'string' } },
    },
    required: ['percent'],
    additionalProperties: false,
  },
  EITHER: {
    anyOf: [
      { type: 'object', required: ['a'] },
      { type: 'object', required: ['b'] },
    ],
  },
};

function judged(payload: unknown) {
  const text = JSON.stringify({ event_id: '0193b3a0-1111-7abc-8def-ffffffffffff', session_id: 's', payload });
  const verdict = decodeSaop(text, { eventTypes });
  return verdict.verdict === 'malformed' ? [verdict.code, ...verdict.errors.map(({ path }) => path)] : verdict.verdict;
}

test('an event of a registered type is accepted where it fits its schema', () => {
  assert.equal(judged({ type: 'COVERAGE_MEASURED', percent: 81.5, files: ['a.ts'] }), 'accepted');
  assert.equal(judged({ type: 'EITHER', b: 1 }), 'accepted');
});

test('one that does not fit is refused by the field, and an unknown type by its name', () => {
  assert.deepEqual(judged({ type: 'COVERAGE_MEASURED', percent: 101 }), ['invalid_event', '/payload/percent']);
  assert.deepEqual(judged({ type: 'COVERAGE_MEASURED' }), ['invalid_event', '/payload']);
  assert.deepEqual(judged({ type: 'COVERAGE_MEASURED', percent: 1, files: [1] }), [
    'invalid_event',
    '/payload/files/0',
  ]);
  assert.deepEqual(judged({ type: 'COVERAGE_MEASURED', percent: 1, mood: 1 }), ['invalid_event', '/payload/mood']);
  assert.deepEqual(judged({ type: 'EITHER' })[0], 'invalid_event');
  for (const type of ['UNKNOWN', 'toString', '__proto__', 7])
    assert.deepEqual(judged({ type }), ['invalid_event', '/payload/type'], String(type));
});

test('the types that cannot be registered are those of the schema', () => {
  assert.deepEqual(
    EventPayloadSchema.options.map(({ shape }) => shape.type.value),
    OWN_EVENT_TYPES,
  );
});

test('a type of SAOP itself, a bad name and a schema that cannot be used are not registered', () => {
  assert.equal(whyNoEventType('MY_EVENT', { type: 'object' }), null);
  assert.match(whyNoEventType('SANDBOX_PULSE', {}) ?? '', /SAOP itself/);
  assert.match(whyNoEventType('my event', {}) ?? '', /capital letters/);
  assert.match(whyNoEventType('MY_EVENT', { type: 'thing' }) ?? '', /cannot be used/);
  assert.match(whyNoEventType('MY_EVENT', { description: 'x'.repeat(70_000) }) ?? '', /longer than/);
});
