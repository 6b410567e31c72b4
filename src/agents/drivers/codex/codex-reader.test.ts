import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentSignal } from '../../../domain/agent/agent-signal.ts';
import { CodexReader } from './codex-reader.ts';

function signalsOf(events: readonly unknown[], reader = new CodexReader()): readonly AgentSignal[] {
  return events.flatMap((event) => {
    const text = typeof event === 'string' ? event : JSON.stringify(event);
    return reader.line({ stream: 'stdout', text, isTruncated: false });
  });
}

const command = {
  id: 'i1',
  type: 'command_execution',
  command: 'npm test',
  aggregated_output: '',
  status: 'in_progress',
};
const completed = (item: unknown) => ({ type: 'item.completed', item });

test('the thread, thoughts, words, commands and edits are signals', () => {
  const changes = [{ path: '/ws/a', kind: 'add' }];
  assert.deepEqual(
    signalsOf([
      { type: 'thread.started', thread_id: 't-1' },
      completed({ id: 'i0', type: 'reasoning', text: 'hm' }),
      { type: 'item.started', item: command },
      completed({ ...command, aggregated_output: 'boom', exit_code: 3, status: 'failed' }),
      completed({ id: 'i2', type: 'file_change', changes, status: 'completed' }),
      completed({ id: 'i3', type: 'agent_message', text: 'Done.' }),
      { type: 'turn.completed', usage: { input_tokens: 24, output_tokens: 8 } },
    ]),
    [
      { kind: 'vendor-session', id: 't-1', model: null, version: null },
      { kind: 'thought', text: 'hm' },
      { kind: 'tool', state: 'begun', id: 'i1', name: 'shell', input: '{"command":"npm test"}' },
      { kind: 'tool', state: 'ended', id: 'i1', name: 'shell', result: 'boom', isSuccess: false, exitCode: 3 },
      { kind: 'tool', state: 'begun', id: 'i2', name: 'edit', input: JSON.stringify({ changes }) },
      { kind: 'tool', state: 'ended', id: 'i2', name: 'edit', result: '', isSuccess: true, exitCode: null },
      { kind: 'words', text: 'Done.' },
      { kind: 'usage', costUsd: null, tokensInput: 24, tokensOutput: 8, tier: null },
      { kind: 'finished', summary: 'Done.' },
    ],
  );
});

test('tokens of earlier runs of the thread are not counted again', () => {
  const reader = new CodexReader({ input: 20, output: 5 });
  const [usage] = signalsOf([{ type: 'turn.completed', usage: { input_tokens: 24, output_tokens: 8 } }], reader);
  assert.ok(usage?.kind === 'usage');
  assert.deepEqual([usage.tokensInput, usage.tokensOutput], [4, 3]);
});

test('errors of the model have a code each, and a refused login ends the run at its first retry', () => {
  const failed = (message: string) => signalsOf([{ type: 'turn.failed', error: { message } }]).at(-1);
  const codes = [
    'unexpected status 401 Unauthorized: no',
    'exceeded retry limit, last status: 429 Too Many Requests',
    'unexpected status 404 Not Found: no such model',
    'We’re currently experiencing high demand, which may cause temporary errors.',
    'stream disconnected before completion: error sending request',
    'unexpected status 400 Bad Request: no',
  ].map((message) => {
    const signal = failed(message);
    return signal?.kind === 'failure' && signal.code;
  });
  const unavailable = 'model-unavailable';
  const [refused, ...others] = codes;
  const gaveUp = others.pop();
  assert.deepEqual([refused, gaveUp], ['permission-denied', 'process-crashed']);
  assert.deepEqual(others, Array(4).fill(unavailable));
  const retry = (reason: string) => signalsOf([{ type: 'error', message: `Reconnecting... 2/5 (${reason})` }]);
  const waits = signalsOf([{ type: 'error', message: 'Reconnecting... waiting for network (Connection failed)' }]);
  assert.deepEqual(waits, [{ kind: 'retrying', attempt: 1, status: null, message: 'Connection failed' }]);
  assert.deepEqual(retry('busy'), [{ kind: 'retrying', attempt: 2, status: null, message: 'busy' }]);
  assert.match(JSON.stringify(retry('unexpected status 401 Unauthorized')), /permission-denied.*codex login/);
});

test('a usage limit is a quota', () => {
  const [quota, failure] = signalsOf([{ type: 'turn.failed', error: { message: "You've hit your usage limit." } }]);
  assert.deepEqual(quota, { kind: 'quota', message: "You've hit your usage limit.", resets: null, scope: null });
  assert.ok(failure?.kind === 'failure' && failure.code === 'model-unavailable');
});

test('an unknown event is output, a known one in another form a warning, and text stays text', () => {
  const [output] = signalsOf([{ type: 'new.thing' }]);
  assert.deepEqual(output, { kind: 'output', stream: 'stdout', text: '{"type":"new.thing"}' });
  assert.equal(signalsOf([{ type: 'turn.completed' }])[0]?.kind, 'unexpected');
  assert.deepEqual(signalsOf(['hello']), [{ kind: 'output', stream: 'stdout', text: 'hello' }]);
});

test('a usage limit has its reset, a lack of credit has none, and a missing model is unavailable', () => {
  const failed = (message: string) => signalsOf([{ type: 'turn.failed', error: { message } }]);
  // Codex 0.166.
  const [limit] = failed('You’ve hit your usage limit. Visit the settings or try again at Nov 17th, 2026 12:17 AM.');
  assert.ok(limit?.kind === 'quota');
  assert.deepEqual(limit.resets, { kind: 'at', wallMs: new Date(2026, 10, 17, 0, 17).getTime() });
  const [credit] = failed('Quota exceeded. Check your plan and billing details.');
  assert.ok(credit?.kind === 'quota' && credit.scope === 'credit' && credit.resets === null);
  const [missing] = failed("The requested model 'nosuch' does not exist.");
  assert.ok(missing?.kind === 'failure' && missing.code === 'model-unavailable');
});

test('words of the model and of a tool about a limit are no quota', () => {
  const text = "You've hit your usage limit. Try again at 3:05 PM.";
  const signals = signalsOf([
    { type: 'item.completed', item: { id: '1', type: 'agent_message', text } },
    { type: 'item.completed', item: { id: '2', type: 'command_execution', command: 'x', aggregated_output: text } },
    { type: 'item.completed', item: { id: '3', type: 'error', message: text } },
  ]);
  assert.equal(
    signals.some(({ kind }) => kind === 'quota' || kind === 'failure'),
    false,
  );
});
