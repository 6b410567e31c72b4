import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentSignal } from '../../../domain/agent-signal.ts';
import { GeminiReader } from './gemini-reader.ts';

function signalsOf(events: readonly unknown[], reader = new GeminiReader()): readonly AgentSignal[] {
  return events.flatMap((event) => {
    const text = typeof event === 'string' ? event : JSON.stringify(event);
    return reader.line({ stream: 'stdout', text, isTruncated: false });
  });
}

const says = (content: string, delta = true) => ({ type: 'message', role: 'assistant', content, delta });
const SHELL = { type: 'tool_use', tool_id: 'c1', tool_name: 'run_shell_command', parameters: { command: 'exit 3' } };

test('words arrive in pieces and are one signal; a failed command is a failure, whatever its status says', () => {
  const signals = signalsOf([
    { type: 'init', session_id: 's-1', model: 'gemini-x' },
    { type: 'message', role: 'user', content: 'do' },
    says('I '),
    says('try.'),
    SHELL,
    { type: 'tool_result', tool_id: 'c1', status: 'success', output: 'Command exited with code: 3' },
    says('Done.'),
    { type: 'result', status: 'success', stats: { input_tokens: 36, output_tokens: 7 } },
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
      { kind: 'usage', costUsd: null, tokensInput: 36, tokensOutput: 7, tier: null },
      { kind: 'finished', summary: 'Done.' },
    ],
  );
});

test('a retry on stderr is a retry, and one with a refused login ends the run', () => {
  const error = (text: string) => new GeminiReader().line({ stream: 'stderr', text, isTruncated: false });
  assert.deepEqual(error('Attempt 2 failed with status 500. Retrying with backoff...'), [
    { kind: 'retrying', attempt: 2, status: 500, message: 'HTTP 500. Retrying with backoff...' },
  ]);
  const [refused] = error('Attempt 1 failed with status 401. Retrying with backoff...');
  assert.ok(refused?.kind === 'failure' && refused.code === 'E_PERMISSION_DENIED');
  assert.deepEqual(error('hello'), [{ kind: 'output', stream: 'stderr', text: 'hello' }]);
});

test('a failed result has the code of the status that it names, or that stderr named before', () => {
  const failed = (message: string, reader = new GeminiReader()) => {
    const signal = signalsOf([{ type: 'result', status: 'error', error: { message } }], reader).at(-1);
    return signal?.kind === 'failure' && signal.code;
  };
  assert.equal(failed('[API Error: {"error":{"code":401,"message":"no"}}]'), 'E_PERMISSION_DENIED');
  assert.equal(failed('[API Error: {"error":{"code": 429}}]'), 'E_MODEL_UNAVAILABLE');
  assert.equal(failed('something else'), 'E_PROCESS_CRASH');
  const reader = new GeminiReader();
  reader.line({ stream: 'stderr', text: '  status: 404', isTruncated: false });
  assert.equal(failed('[API Error: not found]', reader), 'E_MODEL_UNAVAILABLE');
});

test('words without an end are not lost; unknown events are output, known ones in another form a warning', () => {
  const reader = new GeminiReader();
  signalsOf([says('cut off')], reader);
  assert.deepEqual(reader.end(), [{ kind: 'words', text: 'cut off' }]);
  assert.deepEqual(reader.end(), []);
  assert.deepEqual(signalsOf([{ type: 'new' }]), [{ kind: 'output', stream: 'stdout', text: '{"type":"new"}' }]);
  assert.equal(signalsOf([{ type: 'tool_use' }])[0]?.kind, 'unexpected');
});
