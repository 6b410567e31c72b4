import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { AFP_STREAM_ERRORS_MAX } from '../../domain/federation/message-limits.ts';
import type { AfpResponse } from './schema.ts';
import { type AfpStream, EMPTY_STREAM, readStreamLine, writeStepFinish, writeStepStart, writeText } from './stream.ts';

const example = readFileSync(new URL('../../../test/corpus/afp/accepted/stream.ndjson', import.meta.url), 'utf8');

const answer = (iteration: number): AfpResponse => ({
  protocol_version: '1.2',
  iteration,
  status: 'error',
  error: { code: 'INTERNAL_ERROR', message: 'No.' },
});
const line = (type: string, part?: object) =>
  JSON.stringify({ type, timestamp: 1, sessionID: 'ses_1', ...(part && { part }) });
const said = (text: string) => line('text', { text });
const read = (...lines: string[]): AfpStream => lines.reduce(readStreamLine, EMPTY_STREAM);
const iteration = (stream: AfpStream) => stream.response?.iteration ?? null;
const one = JSON.stringify(answer(1));
const two = JSON.stringify(answer(2), null, 2);

test('the stream of the document gives its response, session and end', () => {
  const stream = read(...example.split('\n'));
  assert.equal(stream.response?.status, 'success');
  assert.equal(stream.sessionId, 'ses_abc123');
  assert.equal(stream.hasEnded, true);
  assert.deepEqual(stream.tokens, { input: 100, output: 200 });
  assert.equal(stream.skippedLines + stream.malformedLines + stream.errorLines, 0);
});

test('the stream that is written is the one of the document, letter for letter', () => {
  const { response } = read(...example.split('\n'));
  assert.ok(response);
  const step = { sessionId: 'ses_abc123', messageId: 'msg_001', snapshot: 'abc123' };
  const spoken = { startMs: 1761021546834, endMs: 1761021546834 };
  const used = { cost: 0, tokens: { input: 100, output: 200 } };
  const written = [
    writeStepStart(step, { partId: 'prt_001', timestampMs: 1761021546015 }),
    writeText(step, { partId: 'prt_002', timestampMs: 1761021546835, ...spoken }, response),
    writeStepFinish(step, { partId: 'prt_003', timestampMs: 1761021546887, ...used }),
  ];
  assert.equal(written.join('').trimEnd(), example.trimEnd());
});

const answers: readonly (readonly [string, readonly string[], number | null])[] = [
  ['the last of several texts that are responses', [said(one), said(two), said('Done.')], 2],
  ['a response in a fence', [said(`Here it is:\n\`\`\`json\n${two}\n\`\`\`\nBye.`)], 2],
  ['the last of several fences', [said(`\`\`\`\n${one}\n\`\`\`\nor\n~~~~ json\r\n${two}\n~~~~~`)], 2],
  ['a fence that is never closed', [said(`\`\`\`json\n${one}`)], 1],
  ['an answer without step_finish', [line('step_start', {}), said(one)], 1],
  ['an answer after tools were called', [line('step_finish', { reason: 'tool-calls' }), said(one)], 1],
  [
    'an answer between broken ones',
    [said('{"status":'), said(one), said('{"protocol_version":"1.2","iteration":2}')],
    1,
  ],
  ['nothing from prose and a step_finish', [said('All good.'), line('step_finish', { reason: 'stop' })], null],
  [
    'nothing from a request',
    [said('{"protocol_version":"1.2","iteration":1,"artifact":{"media_type":"a/b","content":1}}')],
    null,
  ],
  ['nothing from a response outside of a wrapper', [one], null],
  ['nothing from a fence that is opened twice', [said(`\`\`\`json\n${one}\n\`\`\`json\n`)], null],
  ['nothing from no line', [], null],
];

for (const [what, lines, expected] of answers) {
  test(`the reader takes ${what}`, () => assert.equal(iteration(read(...lines)), expected));
}

test('lines that are no JSON and unknown types are skipped and counted, empty lines are not', () => {
  const stream = read('Starting…', '', '{"type":"text"', '[]', line('tool_use', {}), '  ', '{"type":7}');
  assert.equal(stream.skippedLines, 5);
  assert.equal(stream.malformedLines, 0);
});

test('a line of the protocol that breaks its rules is counted and not used', () => {
  const stream = read(JSON.stringify({ type: 'text', sessionID: 'ses_1', part: { text: one } }), line('text', {}));
  assert.equal(stream.malformedLines, 2);
  assert.equal(stream.response, null);
});

test('a response that breaks the rules is kept with what is wrong, for asking again', () => {
  const { malformedResponse } = read(said('{"status":"success"}'));
  assert.equal(malformedResponse?.code, 'INVALID_RESPONSE');
  assert.deepEqual(
    malformedResponse?.errors.map(({ path }) => path),
    ['/protocol_version', '/iteration'],
  );
});

test('error lines have no part and are kept, up to a bound', () => {
  const broke = JSON.stringify({ type: 'error', timestamp: 1, sessionID: 'ses_1', error: { name: 'APIError' } });
  const stream = read(...Array.from({ length: AFP_STREAM_ERRORS_MAX + 1 }, () => broke));
  assert.deepEqual(stream.errors[0], JSON.parse(broke));
  assert.equal(stream.errors.length, AFP_STREAM_ERRORS_MAX);
  assert.equal(stream.errorLines, AFP_STREAM_ERRORS_MAX + 1);
  assert.equal(stream.sessionId, 'ses_1');
});

test('a step_finish ends the turn unless tools were called; cost and tokens add up', () => {
  const calls = line('step_finish', { reason: 'tool-calls', cost: 0.25, tokens: { input: 10, output: 1 } });
  const stop = line('step_finish', { reason: 'stop', cost: 0.5, tokens: { input: 5, output: 'many' } });
  assert.equal(read(calls).hasEnded, false);
  const stream = read(calls, stop, calls);
  assert.equal(stream.hasEnded, true);
  assert.equal(stream.cost, 1);
  assert.deepEqual(stream.tokens, { input: 25, output: 2 });
});

test('a step without a snapshot is written without one', () => {
  const written = writeStepStart({ sessionId: 'ses_1', messageId: 'msg_1' }, { partId: 'prt_1', timestampMs: 5 });
  assert.equal(
    written,
    '{"type":"step_start","timestamp":5,"sessionID":"ses_1","part":{"id":"prt_1","sessionID":"ses_1","messageID":"msg_1","type":"step-start"}}\n',
  );
});
