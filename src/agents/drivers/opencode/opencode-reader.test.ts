import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentSignal } from '../../../domain/agent/agent-signal.ts';
import { OpencodeReader } from './opencode-reader.ts';

function signalsOf(events: readonly unknown[], reader = new OpencodeReader()): readonly AgentSignal[] {
  return events.flatMap((event) => {
    const text = typeof event === 'string' ? event : JSON.stringify(event);
    return reader.line({ stream: 'stdout', text, isTruncated: false });
  });
}

const sessionID = 'ses_1';
const finish = (reason: string, cost: number) => ({
  type: 'step_finish',
  sessionID,
  part: { reason, cost, tokens: { input: 10, output: 2, reasoning: 1, cache: { read: 5, write: 0 } } },
});

test('the session, words, tools with their exit code, and the sum of all steps are signals', () => {
  const state = {
    status: 'completed',
    input: { command: 'exit 3' },
    output: 'o',
    metadata: { exit: 3 },
    time: { start: 1_000, end: 3_500 },
  };
  assert.deepEqual(
    signalsOf([
      { type: 'step_start', sessionID },
      { type: 'reasoning', sessionID, part: { text: 'hm' } },
      { type: 'tool_use', sessionID, part: { tool: 'bash', callID: 'c1', state } },
      finish('tool-calls', 0.25),
      { type: 'text', sessionID, part: { text: 'Done.' } },
      finish('stop', 0.5),
    ]),
    [
      { kind: 'vendor-session', id: sessionID, model: null, version: null },
      { kind: 'beat' },
      { kind: 'thought', text: 'hm' },
      { kind: 'tool', state: 'begun', id: 'c1', name: 'bash', input: '{"command":"exit 3"}' },
      {
        kind: 'tool',
        state: 'ended',
        id: 'c1',
        name: 'bash',
        result: 'o',
        isSuccess: false,
        exitCode: 3,
        tookMs: 2_500,
      },
      { kind: 'usage', costUsd: 0.25, tokensInput: 15, tokensOutput: 3, tier: null },
      { kind: 'words', text: 'Done.' },
      { kind: 'usage', costUsd: 0.75, tokensInput: 30, tokensOutput: 6, tier: null },
      { kind: 'finished', summary: 'Done.' },
    ],
  );
});

test('an error of the model in the log is a retry; that of the title is not', () => {
  const reader = new OpencodeReader();
  const log = (isSmall: boolean) =>
    reader.line({
      stream: 'stderr',
      text: `level=ERROR message="stream error" small=${isSmall} agent=build error.error="AI_APICallError: stub 500"`,
      isTruncated: false,
    });
  assert.equal(log(true)[0]?.kind, 'output');
  assert.deepEqual(log(false), [{ kind: 'retrying', attempt: 1, status: null, message: 'stub 500' }]);
  const repeated = 'timestamp=2026-11-17T18:56:09Z level=ERROR run=a message=process error="no" stack="E: no\\n at x"';
  assert.deepEqual(reader.line({ stream: 'stderr', text: repeated, isTruncated: false }), [{ kind: 'beat' }]);
  assert.ok(log(false)[0]?.kind === 'retrying');
  const inStream = 'message="stream error" small=false mode=primary error.error.message=Overloaded error.error.type=x';
  const [told] = reader.line({ stream: 'stderr', text: inStream, isTruncated: false });
  assert.ok(told?.kind === 'retrying' && told.message === 'Overloaded');
  const text =
    'message="stream error" small=false agent=build error.error="AI_APICallError: Rate limit reached for requests"';
  const [refused] = reader.line({ stream: 'stderr', text, isTruncated: false });
  assert.ok(refused?.kind === 'retrying' && refused.status === 429);
});

test('a step in which its model said nothing at all is a try, since opencode asks again for ever', () => {
  const start = { type: 'step_start', sessionID, part: {} };
  const end = { type: 'step_finish', sessionID, part: { reason: 'unknown', tokens: { input: 0, output: 0 }, cost: 0 } };
  const text = { type: 'text', sessionID, part: { text: 'a local model counts nothing' } };
  const kinds = (events: readonly unknown[]) => signalsOf(events).map(({ kind }) => kind);
  assert.equal(kinds([start, end]).at(-1), 'retrying');
  assert.equal(kinds([start, text, end]).at(-1), 'usage');
});

test('an error event has the code of its status', () => {
  const failed = (statusCode: number | null) => {
    const data = { message: 'no', statusCode };
    const signal = signalsOf([{ type: 'error', sessionID, error: { name: 'APIError', data } }]).at(-1);
    return signal?.kind === 'failure' && signal.code;
  };
  assert.deepEqual([401, 429, null].map(failed), ['permission-denied', 'model-unavailable', 'process-crashed']);
});

test('an unknown event is output, a known one in another form a warning', () => {
  assert.deepEqual(signalsOf([{ type: 'new' }]), [{ kind: 'output', stream: 'stdout', text: '{"type":"new"}' }]);
  assert.equal(signalsOf([{ type: 'text', sessionID }])[0]?.kind, 'unexpected');
});

test('a 429 is a quota, with the reset of the headers that opencode hands on', () => {
  const quota = (data: object) => {
    const error = { name: 'APIError', data: { message: 'Rate limit reached', statusCode: 429, ...data } };
    const [signal] = signalsOf([{ type: 'error', sessionID, error }]).filter(({ kind }) => kind === 'quota');
    return signal?.kind === 'quota' ? [signal.resets, signal.scope] : null;
  };
  assert.deepEqual(quota({}), [null, null]);
  assert.deepEqual(quota({ responseHeaders: { 'Retry-After': '7200' } }), [{ kind: 'in', ms: 7_200_000 }, null]);
  assert.deepEqual(quota({ responseHeaders: { 'retry-after-ms': '1500' } }), [{ kind: 'in', ms: 1_500 }, null]);
  const date = { responseHeaders: { 'retry-after': 'Tue, 17 Nov 2026 00:17:00 GMT' } };
  assert.deepEqual(quota(date), [{ kind: 'at', wallMs: Date.UTC(2026, 10, 17, 0, 17) }, null]);
  assert.deepEqual(quota({ responseBody: '{"error":{"code":"insufficient_quota"}}' }), [null, 'credit']);
  assert.equal(quota({ statusCode: 500 }), null);
});
