import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { AOF_MESSAGE_BYTES_MAX } from '../../domain/limits.ts';
import type { DecodeHints } from '../codec.ts';
import { aofCodec } from './codec.ts';

const accepted = new URL('../../../test/corpus/aof/accepted/', import.meta.url);

function example(name: string): Record<string, unknown> & { payload: Record<string, unknown> } {
  return JSON.parse(readFileSync(new URL(`${name}.json`, accepted), 'utf8'));
}

const report = example('example-1-completion-report');
const request = example('example-5-handoff-request');
const run = JSON.parse(readFileSync(new URL('run/run.json', accepted), 'utf8')) as Record<string, unknown>;

/** `verdict kind code path…` in one line. */
function told(text: string, hints?: DecodeHints): string {
  const verdict = aofCodec.decode(text, hints);
  if (verdict.verdict === 'foreign') return 'foreign';
  if (verdict.verdict === 'accepted') {
    return ['accepted', verdict.kind, ...verdict.warnings.map(({ code, path }) => `${code}@${path}`)].join(' ');
  }
  return ['malformed', verdict.kind, verdict.code, ...verdict.errors.map(({ path }) => path || 'root')].join(' ');
}

function withPayload(message: typeof report, change: Record<string, unknown>): string {
  return JSON.stringify({ ...message, payload: { ...message.payload, ...change } });
}

const text = JSON.stringify(report);
const untyped = JSON.stringify({ ...report, type: undefined });
const DETECTION: readonly [string, string, DecodeHints | undefined, string][] = [
  ['a JSON object with the marker', text, undefined, 'accepted completion.report'],
  ['the prefix', `AOF/1 ${text}`, undefined, 'accepted completion.report'],
  ['the prefix and more blanks', `AOF/1   ${text}\n`, undefined, 'accepted completion.report'],
  ['the marker wins over the file name', text, { fileName: 'run.json' }, 'accepted completion.report'],
  ['the marker wins over the kind', `AOF/1 ${text}`, { kind: 'task' }, 'accepted completion.report'],
  ['the kind wins over the file name', JSON.stringify(run), { kind: 'run', fileName: 'handoff.json' }, 'accepted run'],
  ['the file name', JSON.stringify(run), { fileName: 'runs/x/run.json' }, 'accepted run'],
  ['a kind with a marker is no hint', JSON.stringify(run), { kind: 'completion.report' }, 'foreign'],
  ['a run without a hint', JSON.stringify(run), undefined, 'foreign'],
  ['the prefix not at the start', ` AOF/1 ${text}`, undefined, 'foreign'],
  ['the prefix in small letters', `aof/1 ${text}`, undefined, 'foreign'],
  ['the prefix without its blank', `AOF/1${text}`, undefined, 'foreign'],
  ['prose', 'Hello.', undefined, 'foreign'],
  ['nothing', '', undefined, 'foreign'],
  ['a list', '[]', undefined, 'foreign'],
  ['JSON with a repeated key and no marker', '{"a":1,"a":2}', undefined, 'foreign'],
  ['the marker and a repeated key', '{"protocol":"aof","a":1,"a":2}', undefined, 'malformed  invalid_json /a'],
  ['text that starts like JSON', '{"protocol":', undefined, 'malformed  invalid_json root'],
  ['the prefix and no JSON', 'AOF/1 hello', undefined, 'malformed  invalid_json root'],
  ['the prefix and nothing', 'AOF/1 ', undefined, 'malformed  invalid_json root'],
  ['the prefix and no object', 'AOF/1 5', undefined, 'malformed  invalid_envelope root'],
  ['a run.json that is no JSON', 'oops', { fileName: 'run.json' }, 'malformed run invalid_json root'],
  ['an empty run_result.json', '', { kind: 'run_result' }, 'malformed run_result invalid_json root'],
  ['a task file that is JSON', '{}', { kind: 'task' }, 'malformed task invalid_task root'],
];

for (const [name, message, hints, expected] of DETECTION) {
  test(`detection: ${name}`, () => assert.equal(told(message, hints), expected));
}

const ENVELOPE: readonly [string, string, string][] = [
  ['an unknown type, whatever else is wrong', '{"protocol":"aof","type":"x"}', 'malformed  unknown_type /type'],
  ['an unknown type after the prefix', 'AOF/1 {"type":"x"}', 'malformed  unknown_type /type'],
  ['no type', untyped, 'malformed  invalid_envelope /type'],
  ['a type that is no string', JSON.stringify({ ...report, type: 1 }), 'malformed  invalid_envelope /type'],
  [
    'another protocol after the prefix',
    `AOF/1 ${JSON.stringify({ ...report, protocol: 'aop' })}`,
    'malformed completion.report invalid_envelope /protocol',
  ],
  [
    'all errors in the order of the message',
    JSON.stringify({ ...report, version: 2, sentAt: 'now', payload: { ...report.payload, notes: null } }),
    'malformed completion.report invalid_envelope /version /sentAt /payload/notes',
  ],
  ['a projectId', JSON.stringify({ ...report, projectId: 'api' }), 'accepted completion.report'],
  ['an unknown field', JSON.stringify({ ...report, x: 1 }), 'accepted completion.report unknown_field@/x'],
];

for (const [name, message, expected] of ENVELOPE) {
  test(`envelope: ${name}`, () => assert.equal(told(message), expected));
}

const update = example('example-3-status-update');
const over = { total: 2, passed: 2, failed: 1 };
const mismatch = { taskId: 'TASK-2026-02-09-999' };
const RULES: readonly [string, string, string][] = [
  ['the payload may repeat the task', withPayload(report, { taskId: report.taskId }), 'accepted completion.report'],
  ['another task', withPayload(report, mismatch), 'malformed completion.report taskId_mismatch /payload/taskId'],
  [
    'another task in a handoff',
    withPayload(request, mismatch),
    'malformed handoff.request taskId_mismatch /payload/taskId',
  ],
  [
    'another task and a broken rule',
    withPayload(report, { ...mismatch, tests: over }),
    'malformed completion.report invalid_envelope /payload/tests /payload/taskId',
  ],
  [
    'passed + failed over total',
    withPayload(report, { tests: over }),
    'malformed completion.report invalid_envelope /payload/tests',
  ],
  [
    'an update that says nothing',
    JSON.stringify({ ...update, payload: { taskId: update.taskId, agentId: 'a' } }),
    'malformed status.update invalid_envelope /payload',
  ],
  ['an update with an empty note', withPayload(update, { notes: '' }), 'accepted status.update'],
  [
    'blocked by nothing',
    withPayload(report, { outcome: 'blocked' }),
    'accepted completion.report blockers_missing@/payload/blockers',
  ],
];

for (const [name, message, expected] of RULES) {
  test(`rule: ${name}`, () => assert.equal(told(message), expected));
}

const CRITERIA = 'invalid_acceptance_criteria@/payload/acceptanceCriteria';
const criteriaCases: readonly [unknown, string, unknown][] = [
  [['a', 5, 'b', null], `accepted handoff.request ${CRITERIA}`, ['a', 'b']],
  ['a', `accepted handoff.request ${CRITERIA}`, []],
  [null, `accepted handoff.request ${CRITERIA}`, []],
  [['a', ''], 'accepted handoff.request', ['a', '']],
  [Array(50).fill('a'), 'accepted handoff.request', Array(50).fill('a')],
  [['é'.repeat(256), '😀'.repeat(256)], 'accepted handoff.request', ['é'.repeat(256), '😀'.repeat(256)]],
  [Array(51).fill('a'), 'malformed handoff.request invalid_envelope /payload/acceptanceCriteria', undefined],
  [[1, 'a'.repeat(257)], 'malformed handoff.request invalid_envelope /payload/acceptanceCriteria/1', undefined],
];

test('acceptance criteria that are no list of strings are dropped, and the handoff proceeds', () => {
  for (const [acceptanceCriteria, expected, kept] of criteriaCases) {
    const message = withPayload(request, { acceptanceCriteria });
    assert.equal(told(message), expected);
    const verdict = aofCodec.decode(message);
    if (verdict.verdict !== 'accepted') continue;
    assert.deepEqual((verdict.message as unknown as typeof request).payload.acceptanceCriteria, kept);
    assert.equal(told(aofCodec.encode(verdict.message)), 'accepted handoff.request');
  }
});

test('handoff.json is read with the same patience', () => {
  const verdict = aofCodec.decode(JSON.stringify({ ...request.payload, acceptanceCriteria: 'a' }), { kind: 'handoff' });
  assert.ok(verdict.verdict === 'accepted');
  assert.deepEqual(
    verdict.warnings.map(({ code, path }) => `${code}@${path}`),
    ['invalid_acceptance_criteria@/acceptanceCriteria'],
  );
  assert.deepEqual((verdict.message as typeof request).acceptanceCriteria, []);
});

test('size is judged before anything else, in bytes, without the last line end', () => {
  const room = AOF_MESSAGE_BYTES_MAX - 'AOF/1 '.length;
  assert.equal(told(`AOF/1 ${'x'.repeat(room)}\n`), 'malformed  invalid_json root');
  assert.equal(told(`AOF/1 ${'x'.repeat(room + 1)}`), 'malformed  payload_too_large root');
  assert.equal(told('é'.repeat(AOF_MESSAGE_BYTES_MAX / 2 + 1)), 'malformed  payload_too_large root');
  assert.equal(told('x'.repeat(AOF_MESSAGE_BYTES_MAX + 1), { kind: 'run' }), 'malformed run payload_too_large root');
});

test('a value that is already read is judged as its text is', () => {
  assert.equal(aofCodec.decodeValue(report).verdict, 'accepted');
  assert.equal(aofCodec.decodeValue(run).verdict, 'foreign');
  assert.equal(aofCodec.decodeValue(run, { fileName: 'run.json' }).verdict, 'accepted');
  assert.equal(aofCodec.decodeValue({ ...run, status: 'x' }, { kind: 'run' }).verdict, 'malformed');
  for (const value of [undefined, null, 1, 'aof', [], [report]]) {
    assert.equal(aofCodec.decodeValue(value).verdict, 'foreign');
  }
});
