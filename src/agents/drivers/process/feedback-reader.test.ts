import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedbackReader } from './feedback-reader.ts';

const RESPONSE = {
  protocol_version: '1.2',
  iteration: 1,
  status: 'error',
  error: { code: 'INTERNAL_ERROR', message: 'it died' },
};
const ONE_LINE = JSON.stringify(RESPONSE);

/** The signals of these lines on stdout, as one word each: what was said, or the kind. */
function heard(lines: readonly string[], resume: string | null = null): readonly string[] {
  const reader = new FeedbackReader(resume);
  const signals = lines.flatMap((text) => reader.line({ stream: 'stdout', text, isTruncated: false }));
  return [...signals, ...reader.end()].map((signal) => (signal.kind === 'words' ? signal.text : signal.kind));
}

function line(type: string, part: object, sessionID = 'tool-1'): string {
  const ids = { id: 'prt_1', sessionID, messageID: 'msg_1', type: type.replace('_', '-') };
  return JSON.stringify({ type, timestamp: 1, sessionID, part: { ...ids, ...part } });
}
const said = (text: string, session?: string) =>
  line('text', { text, time: { start: 1, end: 2 } }, ...(session ? [session] : []));
const finish = (reason?: string) => line('step_finish', { cost: 0, tokens: { input: 1, output: 1 }, reason });

test('a Response Object is read on one line and over several, and ends the answer', () => {
  assert.deepEqual(heard([ONE_LINE]), [ONE_LINE, 'finished']);
  const lines = JSON.stringify(RESPONSE, null, 2).split('\n');
  const beats = lines.slice(1).map(() => 'beat');
  assert.deepEqual(heard(['Starting …', ...lines]), ['output', ...beats, lines.join('\n'), 'finished']);
});

test('the words of a stream are the texts of its parts; a line of another type is output', () => {
  const texts = ['Let me see.', ONE_LINE];
  const found = heard([line('step_start', {}), line('tool_use', {}), ...texts.map((text) => said(text))]);
  assert.deepEqual(found, ['vendor-session', 'output', ...texts]);
});

test('a stream ends with a step_finish after the answer, and not where tools were called', () => {
  assert.deepEqual(heard([said(ONE_LINE), finish('stop')]).at(-1), 'finished');
  assert.deepEqual(heard([said(ONE_LINE), finish()]).at(-1), 'finished');
  assert.equal(heard([said(ONE_LINE), finish('tool-calls')]).includes('finished'), false);
  assert.equal(heard([said('Let me see.'), finish('stop')]).includes('finished'), false);
});

test('an answer for another session than the one that was asked in is a failure', () => {
  assert.deepEqual(heard([said(ONE_LINE, 'somebody-else')], 'tool-1'), ['failure']);
  assert.deepEqual(heard([said(ONE_LINE, 'tool-1')], 'tool-1'), ['vendor-session', ONE_LINE]);
});
