import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Verdict } from '../codec.ts';
import { afpCodec } from './codec.ts';
import type { AfpMessage } from './schema.ts';

const request = { protocol_version: '1.2', iteration: 1, artifact: { media_type: 'text/plain', content: 'An idea.' } };
const area = { id: 'scope-detail-01', aspect: 'Scope', description: 'It is vague.', recommendation: 'List the parts.' };
const feedback = {
  confidence: { level: 'medium', justification: 'The idea is short.' },
  positive_points: [{ aspect: 'Comfort', justification: 'Many ask for it.' }],
  areas_for_improvement: [area],
  general_summary: 'Worth a plan.',
};
const response = { protocol_version: '1.2', iteration: 1, status: 'success', feedback };
const failure = { protocol_version: '1.2', iteration: 1, status: 'error', error: { code: 'OWN_CODE', message: 'No.' } };
const textLine = { type: 'text', timestamp: 1, sessionID: 'ses_1', part: { text: 'words' } };

const artifact = (media_type: unknown, content: unknown) => ({ ...request, artifact: { media_type, content } });
const decided = (...items: object[]) => ({ ...request, iteration: 2, applied_feedback: { items } });

const accepted: readonly (readonly [string, object, string, readonly string[]])[] = [
  ['a first request', request, 'request', []],
  ['a request with own fields at every level', withOwnFields(request), 'request', []],
  ['decisions at iteration 1', { ...decided(), iteration: 1 }, 'request', []],
  [
    'no decisions from iteration 2 on, with advice',
    { ...request, iteration: 2 },
    'request',
    ['applied_feedback_missing'],
  ],
  ['an accepted item without a reason', decided({ id: 'a', status: 'accepted' }), 'request', []],
  [
    'a rejected item with a reason code only',
    decided({ id: 'a', status: 'rejected', reason_code: 'x' }),
    'request',
    [],
  ],
  [
    'a rejected item without a reason, with advice',
    decided({ id: 'a', status: 'rejected' }),
    'request',
    ['reason_missing'],
  ],
  [
    'an empty explanation, with advice',
    decided({ id: 'a', status: 'partial', explanation: '' }),
    'request',
    ['reason_missing'],
  ],
  ['JSON text under application/json', artifact('application/json', '{"a":1}'), 'request', []],
  ['a JSON value under a +json type', artifact('application/vnd.x+json; charset=utf-8', { a: 1 }), 'request', []],
  ['null as content of no text', artifact('application/json', null), 'request', []],
  ['an artifact that repeats a key', artifact('application/json', '{"a":1,"a":2}'), 'request', []],
  ['a quoted parameter', artifact('text/plain; a="b;\\"c"; d=e', ''), 'request', []],
  ['any value under another type', artifact('image/png', 'iVBORw0='), 'request', []],
  ['a success', response, 'response', []],
  ['a success without findings', { ...response, feedback: { ...feedback, areas_for_improvement: [] } }, 'response', []],
  ['an error with a code of its own', failure, 'response', []],
  ['an error for a request that could not be read', { ...failure, iteration: 0 }, 'response', []],
  ['an acknowledgement on an error', { ...failure, applied_feedback_ack: { items: [] } }, 'response', []],
  ['a text line with fields of the tool', { ...textLine, extra: 1, part: { text: 'a', session: 1 } }, 'text', []],
  ['a step start', { ...textLine, type: 'step_start', part: {} }, 'step_start', []],
  ['a step finish', { ...textLine, type: 'step_finish', part: { reason: 'stop' } }, 'step_finish', []],
];

for (const [what, message, kind, warnings] of accepted) {
  test(`AFP accepts ${what}, keeps it whole and reads back what it wrote`, () => {
    const verdict = afpCodec.decode(JSON.stringify(message));
    assert.equal(verdict.verdict, 'accepted', JSON.stringify(verdict));
    assert.equal(verdict.verdict === 'accepted' && verdict.kind, kind);
    assert.deepEqual(codes(verdict), warnings);
    assert.deepEqual(verdict.verdict === 'accepted' && verdict.message, message);
    const again = afpCodec.decode(afpCodec.encode(message as AfpMessage));
    assert.deepEqual(again.verdict === 'accepted' && again.message, message);
  });
}

const without = (message: object, key: string) =>
  Object.fromEntries(Object.entries(message).filter(([name]) => name !== key));

const malformed: readonly (readonly [string, object, string, readonly string[]])[] = [
  ['the first example of the document', without(request, 'protocol_version'), 'INVALID_REQUEST', ['/protocol_version']],
  ['a request of another version', { ...request, protocol_version: '1.1' }, 'INVALID_REQUEST', ['/protocol_version']],
  ['iteration 0 in a request', { ...request, iteration: 0 }, 'INVALID_REQUEST', ['/iteration']],
  [
    'an artifact without content',
    { ...request, artifact: { media_type: 'a/b' } },
    'INVALID_REQUEST',
    ['/artifact/content'],
  ],
  ['an object as text', artifact('text/markdown', { a: 1 }), 'INVALID_REQUEST', ['/artifact/content']],
  ['null as text', artifact('TEXT/Plain', null), 'INVALID_REQUEST', ['/artifact/content']],
  ['no JSON as JSON', artifact('application/json', 'words'), 'INVALID_REQUEST', ['/artifact/content']],
  ['no JSON as a +json type', artifact('image/x+json ;a=b', '{'), 'INVALID_REQUEST', ['/artifact/content']],
  ['a media type without subtype', artifact('text', 'a'), 'INVALID_REQUEST', ['/artifact/media_type']],
  [
    'a media type of megabytes',
    artifact(`a/b;c="${'x'.repeat(9_000_000)}"`, 'a'),
    'INVALID_REQUEST',
    ['/artifact/media_type'],
  ],
  ['a media type range', artifact('*/*', 'a'), 'INVALID_REQUEST', ['/artifact/media_type']],
  ['null for an optional field', { ...request, applied_feedback: null }, 'INVALID_REQUEST', ['/applied_feedback']],
  [
    'several faults at once',
    { artifact: { size: 1 }, note: 1 },
    'INVALID_REQUEST',
    ['/artifact/size', '/artifact/media_type', '/artifact/content', '/note', '/protocol_version', '/iteration'],
  ],
  ['a success without feedback', without(response, 'feedback'), 'INVALID_RESPONSE', ['/feedback']],
  ['a success with an error', { ...response, error: failure.error }, 'INVALID_RESPONSE', ['/error']],
  ['an error with feedback', { ...failure, feedback }, 'INVALID_RESPONSE', ['/feedback']],
  ['iteration 0 in a success', { ...response, iteration: 0 }, 'INVALID_RESPONSE', ['/iteration']],
  [
    'two findings with one id',
    { ...response, feedback: { ...feedback, areas_for_improvement: [area, area] } },
    'INVALID_RESPONSE',
    ['/feedback/areas_for_improvement/1/id'],
  ],
  [
    'a finding with a short id',
    { ...response, feedback: { ...feedback, areas_for_improvement: [{ ...area, id: 'short' }] } },
    'INVALID_RESPONSE',
    ['/feedback/areas_for_improvement/0/id'],
  ],
  ['a text line without text', { ...textLine, part: {} }, 'INVALID_STREAM', ['/part/text']],
  ['a line without part', without(textLine, 'part'), 'INVALID_STREAM', ['/part']],
  ['a line from before 1970', { ...textLine, timestamp: -1 }, 'INVALID_STREAM', ['/timestamp']],
  ['a line of another type', { ...textLine, type: 'error' }, 'INVALID_STREAM', ['/type']],
];

for (const [what, message, code, paths] of malformed) {
  test(`AFP refuses ${what}`, () => {
    const verdict = afpCodec.decode(JSON.stringify(message));
    assert.equal(verdict.verdict === 'malformed' && verdict.code, code, JSON.stringify(verdict));
    assert.deepEqual(verdict.verdict === 'malformed' && verdict.errors.map((error) => error.path), paths);
  });
}

for (const key of [
  'sessionID',
  'session_id',
  'sessionId',
  'session',
  'SESSION_ID',
  'x-session-id',
  'x-sessionID',
  'X-own',
  'x_own',
]) {
  test(`AFP refuses the field ${key} in an agent's payload, at any level`, () => {
    const item = { id: 'a', status: 'accepted', [key]: 's' };
    const point = { aspect: 'a', justification: 'b', [key]: 's' };
    assert.equal(afpCodec.decodeValue({ ...request, [key]: 's' }).verdict, 'malformed');
    assert.equal(afpCodec.decodeValue(decided(item)).verdict, 'malformed');
    assert.equal(
      afpCodec.decodeValue({ ...response, feedback: { ...feedback, positive_points: [point] } }).verdict,
      'malformed',
    );
  });
}

function codes(verdict: Verdict<AfpMessage>): string[] {
  return verdict.warnings.map((warning) => warning.code);
}

function withOwnFields(value: object): object {
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    item instanceof Object ? withOwnFields(item) : item,
  ]);
  return { ...Object.fromEntries(entries), 'x-own': { session: 1, constructor: 2 } };
}
