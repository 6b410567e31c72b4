import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentSignal } from '../../../domain/agent/agent-signal.ts';
import { GeminiReader } from './gemini-reader.ts';

function signalsOf(events: readonly unknown[], reader = new GeminiReader()): readonly AgentSignal[] {
  return events.flatMap((event) => {
    const text = typeof event === 'string' ? event : JSON.stringify(event);
    return reader.line({ stream: 'stdout', text, isTruncated: false });
  });
}

const says = (content: string, delta = true) => ({ type: 'message', role: 'assistant', content, delta });
const SHELL = { type: 'tool_use', tool_id: 'c1', tool_name: 'run_shell_command', parameters: { command: 'exit 3' } };

const COUNT = { input_tokens: 36, output_tokens: 7, total_tokens: 48, cached: 6 };
const STATS = { ...COUNT, models: { 'gemini-x-pro': COUNT } };
// The total counts 5 tokens of thoughts.
const TOKENS = { tokensInput: 36, tokensOutput: 12, tokensCached: 6 };

test('words arrive in pieces and are one signal; a failed command is a failure, whatever its status says', () => {
  const signals = signalsOf([
    { type: 'init', session_id: 's-1', model: 'gemini-x' },
    { type: 'message', role: 'user', content: 'do' },
    says('I '),
    says('try.'),
    SHELL,
    { type: 'tool_result', tool_id: 'c1', status: 'success', output: 'Command exited with code: 3' },
    says('Done.'),
    { type: 'result', status: 'success', stats: STATS },
  ]);
  assert.deepEqual(
    signals.filter(({ kind }) => kind !== 'beat'),
    [
      { kind: 'vendor-session', id: 's-1', model: 'gemini-x', version: null },
      { kind: 'words', text: 'I try.' },
      { kind: 'tool', state: 'begun', id: 'c1', name: 'run_shell_command', input: '{"command":"exit 3"}' },
      {
        kind: 'tool',
        state: 'ended',
        id: 'c1',
        name: 'run_shell_command',
        result: 'Command exited with code: 3',
        isSuccess: false,
        exitCode: 3,
      },
      { kind: 'words', text: 'Done.' },
      { kind: 'usage', costUsd: null, ...TOKENS, byModel: { 'gemini-x-pro': TOKENS }, tier: null },
      { kind: 'finished', summary: 'Done.' },
    ],
  );
});

test('a retry on stderr is a retry, and one with a refused login ends the run', () => {
  const error = (text: string) => new GeminiReader().line({ stream: 'stderr', text, isTruncated: false });
  assert.deepEqual(error('Attempt 2 failed with status 500. Retrying with backoff...'), [
    { kind: 'retrying', attempt: 2, status: 500, message: 'HTTP 500' },
  ]);
  const wrapped = '{"error":{"code":529,"message":"Overloaded","status":"INTERNAL"}}';
  assert.deepEqual(error(`Attempt 1 failed with status 529. Retrying with backoff... _ApiError: ${wrapped}`), [
    { kind: 'retrying', attempt: 1, status: 529, message: 'HTTP 529: Overloaded' },
  ]);
  const [refused] = error('Attempt 1 failed with status 401. Retrying with backoff...');
  assert.ok(refused?.kind === 'failure' && refused.code === 'permission-denied');
  assert.deepEqual(error('hello'), [{ kind: 'output', stream: 'stderr', text: 'hello' }]);
});

test('the frames of a stack and chatter about the program are signs of life; the sentence of an error is shown', () => {
  const reader = new GeminiReader();
  const shown = (text: string) => {
    const [signal] = reader.line({ stream: 'stderr', text, isTruncated: false });
    return signal?.kind === 'output' ? signal.text : (signal?.kind ?? null);
  };
  const lines = [
    ['YOLO mode is enabled. All tool calls will be automatically approved.', 'beat'],
    ['_ApiError: {"error":{"code":403,"message":"Not for you"}}', '_ApiError: Not for you'],
    ['    at async Turn.run (file:///x/chunk.js:1:2)', 'beat'],
    ['{', 'beat'],
    ['  status: 403', 'beat'],
    ['}', 'beat'],
    ['a sentence', 'a sentence'],
    ['  an indented one', '  an indented one'],
  ] as const;
  for (const [text, expected] of lines) assert.equal(shown(text), expected, text);
});

test('a failed result has the code of the status that it names, or that stderr named before', () => {
  const failed = (message: string, reader = new GeminiReader()) => {
    const signal = signalsOf([{ type: 'result', status: 'error', error: { message } }], reader).at(-1);
    return signal?.kind === 'failure' && signal.code;
  };
  assert.equal(failed('[API Error: {"error":{"code":401,"message":"no"}}]'), 'permission-denied');
  assert.equal(failed('[API Error: {"error":{"code": 429}}]'), 'model-unavailable');
  assert.equal(failed('something else'), 'process-crashed');
  const reader = new GeminiReader();
  reader.line({ stream: 'stderr', text: '  status: 404', isTruncated: false });
  assert.equal(failed('[API Error: not found]', reader), 'model-unavailable');
});

test('words without an end are not lost; unknown events are output, known ones in another form a warning', () => {
  const reader = new GeminiReader();
  signalsOf([says('cut off')], reader);
  assert.deepEqual(reader.end(), [{ kind: 'words', text: 'cut off' }]);
  assert.deepEqual(reader.end(), []);
  assert.deepEqual(signalsOf([{ type: 'new' }]), [{ kind: 'output', stream: 'stdout', text: '{"type":"new"}' }]);
  assert.equal(signalsOf([{ type: 'tool_use' }])[0]?.kind, 'unexpected');
});

test('a quota that Gemini CLI does not wait for is a quota; one that it waits for is a retry with its time', () => {
  const failed = (message: string) => signalsOf([{ type: 'result', status: 'error', error: { message } }]);
  // Gemini CLI 0.61 by a key: RESOURCE_EXHAUSTED per day.
  const daily = '[API Error: You have exhausted your daily quota on this model.]\nPlease wait and try again later.';
  assert.deepEqual(failed(daily)[1], { kind: 'quota', message: daily, resets: null, scope: 'day' });
  assert.equal(failed(daily)[2]?.kind, 'failure');
  // The error of the API below it names the time.
  const dump = new GeminiReader();
  const text = "    message: 'You exceeded your current quota. Please retry in 7200s.',";
  dump.line({ stream: 'stderr', text, isTruncated: false });
  const [, timed] = signalsOf([{ type: 'result', status: 'error', error: { message: daily } }], dump);
  assert.deepEqual(timed, { kind: 'quota', message: daily, resets: { kind: 'in', ms: 7_200_000 }, scope: 'day' });
  // By a Google account.
  const capacity = '[API Error: You have exhausted your capacity on this model. Your quota will reset after 8h44m7s.]';
  const [, quota] = failed(capacity);
  assert.ok(quota?.kind === 'quota');
  assert.deepEqual(quota.resets, { kind: 'in', ms: 31_447_000 });
  const reader = new GeminiReader();
  const error = (text: string) => reader.line({ stream: 'stderr', text, isTruncated: false });
  assert.equal(
    error('Attempt 1 failed: You exceeded your current quota. Please retry in 34.07s.')[0]?.kind,
    'retrying',
  );
  const [retry] = error('Suggested retry after 34.07s.. Retrying after 40095ms...');
  assert.ok(retry?.kind === 'retrying');
  assert.deepEqual([retry.attempt, retry.status, retry.resets], [1, 429, { kind: 'in', ms: 40_095 }]);
  assert.equal(error('Retrying after 9ms')[0]?.kind, 'output');
});

test('a model that the vendor does not have is unavailable', () => {
  const reader = new GeminiReader();
  const text =
    'Error when talking to Gemini API Full report available at: /tmp/x.json ModelNotFoundError: model: nosuch';
  reader.line({ stream: 'stderr', text, isTruncated: false });
  const error = { message: '[API Error: model: nosuch]' };
  const signal = signalsOf([{ type: 'result', status: 'error', error }], reader).at(-1);
  assert.ok(signal?.kind === 'failure' && signal.code === 'model-unavailable');
});

test('a model whose answer breaks off or is none is unavailable; an error of its own has its words', () => {
  // Gemini CLI 0.61.
  const error = { type: 'error', severity: 'error', message: 'Model stream ended without a finish reason.' };
  const [shown, , failure] = signalsOf([error, { type: 'result', status: 'error', stats: {} }]);
  assert.deepEqual(shown, { kind: 'output', stream: 'stderr', text: error.message });
  const message = `its model did not answer: ${error.message}`;
  assert.deepEqual(failure, { kind: 'failure', code: 'model-unavailable', message });
  for (const words of ['[API Error: terminated]', '[API Error: Incomplete JSON segment at the end]']) {
    const [, ended] = signalsOf([{ type: 'result', status: 'error', error: { message: words } }]);
    assert.ok(ended?.kind === 'failure' && ended.code === 'model-unavailable', words);
  }
});

test('words of the model and of a tool about a quota are no quota', () => {
  const text = 'You have exhausted your daily quota on this model.';
  const signals = signalsOf([
    says(text),
    { type: 'tool_result', tool_id: 't', status: 'error', error: { message: text } },
    { type: 'result', status: 'success', stats: {} },
  ]);
  assert.equal(
    signals.some(({ kind }) => kind === 'quota' || kind === 'failure'),
    false,
  );
});

test('Gemini CLI without a login says so on stderr, and nothing else', () => {
  for (const text of [
    'Invalid auth method selected.',
    'Please set an Auth method in your /root/.gemini/settings.json',
  ]) {
    const [signal] = new GeminiReader().line({ stream: 'stderr', text, isTruncated: false });
    assert.ok(signal?.kind === 'failure', text);
    assert.equal(signal.code, 'permission-denied');
    assert.match(
      signal.message,
      /^its login is not set up: .*[^.]; set security\.auth\.selectedType in .*, or run gemini/,
    );
  }
});
