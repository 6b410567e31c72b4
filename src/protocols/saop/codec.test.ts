import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NDJSON_LINE_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import { saopCodec } from './codec.ts';
import { EventPayloadSchema, EventSchema, type SaopMessage, TurnEnvelopeSchema } from './schema.ts';

const at = '2026-02-09T21:00:00.000Z';
const metadata = {
  version: '1.0.0',
  task_id: 'TASK-2026-02-09-057',
  timestamp: at,
  confidence: 0.8,
  estimated_complexity: 'low',
};
const content = { thought: 'The loop is short.', action: 'Fix it.', observation: '' };
const turn = { turn_index: 0, agent_id: 'developer', role: 'reviewer', content, metadata };
const payloads = {
  thought: { type: 'THOUGHT_STREAM', agent_id: 'architect', turn_index: 3, chunk: '', is_final: true },
  invoked: { type: 'TOOL_LIFECYCLE_INVOKED', call_id: 'c', tool: 'read', arguments: { constructor: 1 }, timestamp: at },
  completed: {
    type: 'TOOL_LIFECYCLE_COMPLETED',
    call_id: 'c',
    tool: 'read',
    status: 'timeout',
    duration_ms: 0.5,
    timestamp: at,
  },
  transition: {
    type: 'TASK_TRANSITION',
    task_id: 't',
    from_state: 'ready',
    to_state: 'done',
    git_hash: '9fceb02',
    timestamp: at,
  },
  pulse: { type: 'SANDBOX_PULSE', line: '12 passed', masked: false, timestamp: at },
};
const event = (payload: object) => ({ event_id: '0195f3c2-7a1e-7c44-9b1d-3f5a6b7c8d9e', session_id: 's', payload });
const turnWith = (part: 'content' | 'metadata', fields: object) => ({ ...turn, [part]: { ...turn[part], ...fields } });

const accepted: readonly (readonly [string, object, string, readonly string[]])[] = [
  ['a turn', turn, 'turn', []],
  ['a turn that says nothing', turnWith('content', { thought: '', action: '' }), 'turn', []],
  ['the ends of confidence', turnWith('metadata', { confidence: 1 }), 'turn', []],
  ['unknown fields of a turn', { ...turnWith('content', { plan: {} }), mood: 1 }, 'turn', ['/content/plan', '/mood']],
  ...Object.entries(payloads).map(([name, payload]) => [`an event of ${name}`, event(payload), 'event', []] as const),
  ['a transition without git_hash', event({ ...payloads.transition, git_hash: undefined }), 'event', []],
  ['unknown fields of an event', event({ ...payloads.pulse, stream: 'stderr' }), 'event', ['/payload/stream']],
];

for (const [what, message, kind, unknown] of accepted) {
  test(`SAOP accepts ${what} and keeps it whole`, () => {
    const text = JSON.stringify(message);
    const verdict = saopCodec.decode(text);
    assert.equal(verdict.verdict === 'accepted' && verdict.kind, kind, JSON.stringify(verdict));
    assert.deepEqual(
      verdict.warnings.map(({ code, path }) => [code, path]),
      unknown.map((path) => ['unknown_field', path]),
    );
    assert.deepEqual(verdict.verdict === 'accepted' && verdict.message, JSON.parse(text));
    assert.deepEqual(JSON.parse(saopCodec.encode(message as SaopMessage)), JSON.parse(text));
  });
}

const malformed: readonly (readonly [string, object, string, readonly string[]])[] = [
  ['a negative turn', { ...turn, turn_index: -1 }, 'invalid_turn', ['/turn_index']],
  ['an unknown role', { ...turn, role: 'tester' }, 'invalid_turn', ['/role']],
  ['another version', turnWith('metadata', { version: '1.0.1' }), 'invalid_turn', ['/metadata/version']],
  [
    'an offset instead of Z',
    turnWith('metadata', { timestamp: '2026-02-09T21:00:00+00:00' }),
    'invalid_turn',
    ['/metadata/timestamp'],
  ],
  ['a small z', turnWith('metadata', { timestamp: '2026-02-09T21:00:00z' }), 'invalid_turn', ['/metadata/timestamp']],
  ['too much confidence', turnWith('metadata', { confidence: 1.01 }), 'invalid_turn', ['/metadata/confidence']],
  ['an empty task', turnWith('metadata', { task_id: '' }), 'invalid_turn', ['/metadata/task_id']],
  [
    'all faults, in their order',
    { ...turnWith('content', { thought: null }), turn_index: '0', role: 1 },
    'invalid_turn',
    ['/turn_index', '/role', '/content/thought'],
  ],
  [
    'a turn with half a wrapper',
    { turn_index: 0, event_id: 'e' },
    'invalid_turn',
    ['/agent_id', '/role', '/content', '/metadata'],
  ],
  ['an event id that is no UUID', { ...event(payloads.pulse), event_id: 'evt_1' }, 'invalid_event', ['/event_id']],
  ['an unknown payload', event({ type: 'PULSE' }), 'invalid_event', ['/payload/type']],
  ['a payload that is no object', { ...event({}), payload: null }, 'invalid_event', ['/payload']],
  ['arguments that are a list', event({ ...payloads.invoked, arguments: [] }), 'invalid_event', ['/payload/arguments']],
  ['a negative duration', event({ ...payloads.completed, duration_ms: -1 }), 'invalid_event', ['/payload/duration_ms']],
  ['null as git_hash', event({ ...payloads.transition, git_hash: null }), 'invalid_event', ['/payload/git_hash']],
  ['an empty line', event({ ...payloads.pulse, line: '' }), 'invalid_event', ['/payload/line']],
  ['a bare thought', payloads.thought, 'invalid_event', ['/event_id', '/session_id', '/payload']],
];

for (const [what, message, code, paths] of malformed) {
  test(`SAOP refuses ${what}`, () => {
    const verdict = saopCodec.decode(JSON.stringify(message));
    assert.equal(verdict.verdict === 'malformed' && verdict.code, code, JSON.stringify(verdict));
    assert.deepEqual(verdict.verdict === 'malformed' && verdict.errors.map(({ path }) => path), paths);
    assert.deepEqual(
      verdict.warnings.filter(({ path }) => path !== '/event_id'),
      [],
    );
  });
}

test('SAOP takes a text that is not its own as foreign', () => {
  for (const text of [
    '',
    'words',
    '7',
    '[]',
    '{}',
    '{"payload":{}}',
    '{"a":1,"a":2}',
    JSON.stringify(payloads.pulse),
  ]) {
    assert.equal(saopCodec.decode(text).verdict, 'foreign', text);
  }
});

test('SAOP says of what is no JSON, and of what is too large, just that', () => {
  for (const text of ['{', '{"turn_index":', '['.repeat(65), '{"turn_index":0,"turn_index":0}']) {
    const verdict = saopCodec.decode(text);
    assert.equal(verdict.verdict === 'malformed' && verdict.code, 'invalid_json', text);
  }
  const verdict = saopCodec.decode(' '.repeat(NDJSON_LINE_BYTES_MAX + 1));
  assert.equal(verdict.verdict === 'malformed' && verdict.code, 'payload_too_large');
});

test('SAOP reads an object without a marker as the kind it is told', () => {
  const verdict = saopCodec.decodeValue({}, { kind: 'turn' });
  assert.equal(verdict.verdict === 'malformed' && verdict.code, 'invalid_turn');
  assert.equal(saopCodec.decodeValue({}, { kind: 'toString' }).verdict, 'foreign');
});

test('SAOP writes the fields in the order of the document', () => {
  for (const message of [turn, ...Object.values(payloads).map(event)]) {
    const mixed = Object.fromEntries(Object.entries(message).reverse()) as SaopMessage;
    assert.equal(saopCodec.encode(mixed), JSON.stringify(message));
  }
});

test('the schemas stand on their own under the names of the document and keep unknown fields', () => {
  assert.deepEqual(TurnEnvelopeSchema.parse({ ...turn, mood: 1 }), { ...turn, mood: 1 });
  const moody = { ...event({ ...payloads.pulse, mood: 1 }), mood: 2 };
  assert.deepEqual(EventSchema.parse(moody), moody);
  for (const payload of Object.values(payloads)) assert.deepEqual(EventPayloadSchema.parse(payload), payload);
  assert.throws(() => TurnEnvelopeSchema.parse({ ...turn, role: 'tester' }));
  assert.equal(EventPayloadSchema.safeParse({ type: 'PULSE' }).success, false);
});
