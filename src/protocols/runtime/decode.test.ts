import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENVELOPE, eventOf, PAYLOADS, RECORDS } from '../../../test/support/message/runtime-samples.ts';
import { NDJSON_LINE_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import { runtimeCodec } from './codec.ts';
import { ENVELOPE_KINDS, type EnvelopeKind } from './markers.ts';

type Fields = Record<string, unknown>;

function judge(value: unknown) {
  return runtimeCodec.decode(JSON.stringify(value));
}

/** Code and paths of what is wrong; codes and paths of warnings where nothing is. */
function found(value: unknown): unknown[] {
  const verdict = judge(value);
  if (verdict.verdict === 'malformed') return [verdict.code, ...verdict.errors.map((error) => error.path)];
  return [verdict.verdict, ...verdict.warnings.map((warning) => `${warning.code} ${warning.path}`)];
}

function requiredOf(kind: EnvelopeKind): Fields {
  return Object.fromEntries(PAYLOADS[kind].required.map((name) => [name, PAYLOADS[kind].all[name]]));
}

function without(fields: Fields, name: string): Fields {
  const { [name]: _, ...rest } = fields;
  return rest;
}

describe('Runtime decode: what is accepted', () => {
  for (const kind of ENVELOPE_KINDS) {
    it(`a ${kind} with all of its fields is accepted as it was read`, () => {
      const event = eventOf(kind, PAYLOADS[kind].all);
      assert.deepEqual(judge(event), { verdict: 'accepted', kind, message: event, warnings: [] });
    });
    it(`a ${kind} with only its required fields is accepted`, () => {
      assert.deepEqual(found(eventOf(kind, requiredOf(kind))), ['accepted']);
    });
  }
  for (const [kind, record] of Object.entries(RECORDS)) {
    it(`the ${kind} record of the document is accepted`, () => {
      assert.deepEqual(judge(record), { verdict: 'accepted', kind, message: record, warnings: [] });
    });
  }
});

describe('Runtime decode: what is required', () => {
  for (const kind of ENVELOPE_KINDS) {
    for (const name of PAYLOADS[kind].required) {
      it(`a ${kind} without payload.${name} is malformed`, () => {
        const verdict = judge(eventOf(kind, without(requiredOf(kind), name)));
        const isRoute = kind === 'task_create' && name === 'toAgents';
        const code = isRoute ? 'no_route' : 'invalid_payload';
        assert.equal(verdict.verdict === 'malformed' && verdict.code, code);
      });
    }
    it(`a ${kind} ${PAYLOADS[kind].corrId} have a corrId`, () => {
      const want = PAYLOADS[kind].corrId === 'must' ? ['invalid_envelope', '/corrId'] : ['accepted'];
      assert.deepEqual(found(without(eventOf(kind, PAYLOADS[kind].all), 'corrId')), want);
    });
  }
  for (const name of ['sourceNodeId', 'sourceAgentId', 'createdAt', 'payload', 'trace', 'seq', 'eventId']) {
    it(`an envelope without ${name} is malformed`, () => {
      assert.deepEqual(found(without(eventOf('message', PAYLOADS.message.all), name)), [
        'invalid_envelope',
        `/${name}`,
      ]);
    });
  }
  for (const [kind, record] of Object.entries(RECORDS)) {
    for (const name of Object.keys(record).slice(2)) {
      it(`a ${kind} record without ${name} is malformed`, () => {
        const verdict = judge(without(record, name));
        assert.equal(verdict.verdict === 'malformed' && verdict.code, 'invalid_record');
      });
    }
  }
});

describe('Runtime decode: rules', () => {
  const message = PAYLOADS.message.all;
  const task = { taskId: 't', title: 'do it' };
  const skill = {
    capabilityId: 'c',
    delegationSkillRef: { name: 'n', version: '1' },
    requiredBy: '2026-02-25T18:30:00Z',
  };
  const skillTask = { ...task, toAgents: ['a'], taskType: 'skill_distribution' };
  const accept = { taskId: 't', acceptedByAgentId: 'a' };
  const cases: [string, unknown, unknown[]][] = [
    [
      'an unexpanded all warns',
      eventOf('message', { ...message, toAgents: ['all'] }),
      ['accepted', 'unexpanded_all /payload/toAgents'],
    ],
    [
      'an unexpanded all warns in a task too',
      eventOf('task_create', { ...task, toAgents: ['all'] }),
      ['accepted', 'unexpanded_all /payload/toAgents'],
    ],
    [
      'all beside others is malformed',
      eventOf('message', { ...message, toAgents: ['a', 'all'] }),
      ['invalid_payload', '/payload/toAgents'],
    ],
    [
      'nobody to send to is malformed',
      eventOf('message', { ...message, toAgents: [] }),
      ['invalid_payload', '/payload/toAgents'],
    ],
    [
      'toAgentId beside one recipient is fine',
      { ...eventOf('message', { ...message, toAgents: ['a'] }), toAgentId: 'a' },
      ['accepted'],
    ],
    [
      'toAgentId beside several recipients is malformed',
      { ...eventOf('message', { ...message, toAgents: ['a', 'b'] }), toAgentId: 'a' },
      ['invalid_envelope', '/toAgentId'],
    ],
    ['a task without a route is malformed', eventOf('task_create', task), ['no_route', '/payload', '/payload']],
    [
      'empty lists are no route',
      eventOf('task_create', { ...task, toAgents: [], requiredCapabilities: [] }),
      ['no_route', '/payload', '/payload'],
    ],
    [
      'a task without a route and without a title is a wrong payload',
      eventOf('task_create', { taskId: 'tsk_1' }),
      ['invalid_payload', '/payload/title'],
    ],
    [
      'a capability is a route',
      eventOf('task_create', { ...task, toAgents: [], requiredCapabilities: ['c'] }),
      ['accepted'],
    ],
    ['a skill distribution is accepted', eventOf('task_create', { ...skillTask, ...skill }), ['accepted']],
    [
      'a skill distribution names its skill',
      eventOf('task_create', skillTask),
      ['invalid_payload', '/payload/capabilityId', '/payload/delegationSkillRef', '/payload/requiredBy'],
    ],
    ['a task_accept has an estimate', eventOf('task_accept', accept), ['invalid_payload', '/payload']],
    ['seconds are an estimate', eventOf('task_accept', { ...accept, etaSeconds: 60 }), ['accepted']],
    [
      'an ack with a task payload is judged as task_accept',
      eventOf('ack', { ...accept, etaSeconds: 60 }),
      ['accepted'],
    ],
    ['an ack with a task payload has an estimate', eventOf('ack', accept), ['invalid_payload', '/payload']],
    [
      'an ack of nobody says what the task payload lacks',
      eventOf('ack', { acceptedByAgentId: 'a', etaSeconds: 60 }),
      ['invalid_payload', '/payload/taskId'],
    ],
    [
      'an ack with refEventId is judged as an ack',
      eventOf('ack', { ...PAYLOADS.ack.all, taskId: 't' }),
      ['accepted', 'unknown_field /payload/taskId'],
    ],
  ];
  for (const [name, value, want] of cases) it(name, () => assert.deepEqual(found(value), want));
});

describe('Runtime decode: values', () => {
  const { message, task_update: update, signal, ack } = PAYLOADS;
  const catalog = RECORDS.catalog;
  const cases: [string, unknown, unknown[]][] = [
    ['seq starts at 1', { ...eventOf('message', message.all), seq: 0 }, ['invalid_envelope', '/seq']],
    ['seq is a safe integer', { ...eventOf('message', message.all), seq: 2 ** 53 }, ['invalid_envelope', '/seq']],
    [
      'attempts start at 1',
      { ...eventOf('message', message.all), trace: { attempt: 0 } },
      ['invalid_envelope', '/trace/attempt'],
    ],
    [
      'createdAt is an instant',
      { ...eventOf('message', message.all), createdAt: '2026-02-30T10:00:00Z' },
      ['invalid_envelope', '/createdAt'],
    ],
    [
      'what is optional is not null',
      { ...eventOf('message', message.all), expiresAt: null },
      ['invalid_envelope', '/expiresAt'],
    ],
    [
      'an id has at most 128 characters',
      { ...eventOf('message', message.all), eventId: 'e'.repeat(129) },
      ['invalid_envelope', '/eventId'],
    ],
    [
      'a payload that is no object is an error of the envelope',
      eventOf('message', 'hi'),
      ['invalid_envelope', '/payload'],
    ],
    [
      'errors in both are errors of the envelope, in document order',
      { ...eventOf('message', { toAgents: 'a', body: '' }), seq: '1' },
      ['invalid_envelope', '/seq', '/payload/toAgents', '/payload/body'],
    ],
    [
      'a priority is one of four',
      eventOf('message', { ...message.all, priority: 'urgent' }),
      ['invalid_payload', '/payload/priority'],
    ],
    [
      'progress ends at 100',
      eventOf('task_update', { ...update.all, progress: 101 }),
      ['invalid_payload', '/payload/progress'],
    ],
    ['the status of an update is free', eventOf('task_update', { ...update.all, status: 'napping' }), ['accepted']],
    [
      'an ack is about one of the ten kinds',
      eventOf('ack', { ...ack.all, refKind: 'catalog' }),
      ['invalid_payload', '/payload/refKind'],
    ],
    ['a signal says what it likes', eventOf('signal', { ...signal.all, constructor: { any: [1] } }), ['accepted']],
    ['a signal has an object as payload', eventOf('signal', []), ['invalid_envelope', '/payload']],
    [
      'an estimate is at least 30 seconds',
      { ...catalog, defaultEtaSeconds: 29 },
      ['invalid_record', '/defaultEtaSeconds'],
    ],
    [
      'an estimate is at most a day',
      { ...catalog, defaultEtaSeconds: 86_401 },
      ['invalid_record', '/defaultEtaSeconds'],
    ],
    ['a cursor may stand before the first event', { ...RECORDS.cursor, lastSeq: 0 }, ['accepted']],
    [
      'unknown fields are kept with a warning, in every object',
      { ...eventOf('message', { ...message.all, mood: 1 }), trace: { attempt: 1, hop: 2 }, zone: 3 },
      ['accepted', 'unknown_field /payload/mood', 'unknown_field /trace/hop', 'unknown_field /zone'],
    ],
    [
      'a constructor key is refused',
      { ...eventOf('message', { ...message.all, constructor: 1 }) },
      ['invalid_payload', '/payload/constructor'],
    ],
  ];
  for (const [name, value, want] of cases) it(name, () => assert.deepEqual(found(value), want));
});

describe('Runtime decode: which message it is', () => {
  it('an unknown kind is malformed and names no kind', () => {
    const verdict = judge({ ...ENVELOPE, kind: 'task_createe', payload: {} });
    assert.equal(verdict.verdict === 'malformed' && verdict.kind, null);
    assert.deepEqual(found({ ...ENVELOPE, kind: 'task_createe', payload: {} }), ['invalid_envelope', '/kind']);
    assert.deepEqual(found({ eventId: 'e' }).slice(0, 2), ['invalid_envelope', '/seq']);
  });
  for (const text of [
    '',
    'hello',
    '[]',
    '{}',
    '{"kind":"message"}',
    '{"seq":1}',
    '42',
    '{"a":1,"a":2}',
    '[{"a":1,"a":2}]',
  ]) {
    it(`${JSON.stringify(text)} is foreign`, () => assert.equal(runtimeCodec.decode(text).verdict, 'foreign'));
  }
  const broken = ['{"eventId":', '{"eventId":"a","eventId":"b"}', '{"capabilityId":1e999}', '['.repeat(65), '{'];
  for (const text of [
    ...broken,
    '{"reviewId":"r","__proto__":{}}',
    `{"eventId":"${'e'.repeat(NDJSON_LINE_BYTES_MAX)}"}`,
  ]) {
    it(`${text.slice(0, 40)} is no JSON that Baton reads`, () => {
      const verdict = runtimeCodec.decode(text);
      assert.equal(verdict.verdict === 'malformed' && verdict.code, 'invalid_json');
    });
  }
  it('a value that is no object is foreign, whatever it is', () => {
    for (const value of [undefined, null, 1, 'x', [], () => 1]) {
      assert.equal(runtimeCodec.decodeValue(value).verdict, 'foreign');
    }
  });
});
