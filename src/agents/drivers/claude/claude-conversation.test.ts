import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentSignal } from '../../../domain/agent/agent-signal.ts';
import type { ConversationInput, Reply } from '../../agent-driver.ts';
import { ClaudeConversation } from './claude-conversation.ts';

function line(event: unknown): ConversationInput {
  const text = typeof event === 'string' ? event : JSON.stringify(event);
  return { kind: 'line', line: { stream: 'stdout', text, isTruncated: false } };
}

function hearAll(...events: readonly unknown[]): readonly Reply[] {
  const conversation = new ClaudeConversation();
  return events.map((event) => conversation.hear(line(event)));
}

function signalsOf(...events: readonly unknown[]): readonly AgentSignal[] {
  return hearAll(...events).flatMap(({ signals }) => signals);
}

const INIT = { type: 'system', subtype: 'init', session_id: 's-1', model: 'claude-x', claude_code_version: '2.1.325' };
const says = (...content: readonly unknown[]) => ({ type: 'assistant', message: { role: 'assistant', content } });
const returns = (content: unknown, isError = false) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content, is_error: isError }] },
});
const BASH = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } };

test('the session, thoughts, words and tool calls are signals', () => {
  assert.deepEqual(
    signalsOf(
      INIT,
      says({ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'I test.' }, BASH),
      returns([{ type: 'text', text: 'ok' }, { type: 'image' }]),
    ),
    [
      { kind: 'vendor-session', id: 's-1', model: 'claude-x', version: '2.1.325' },
      { kind: 'thought', text: 'hm' },
      { kind: 'words', text: 'I test.' },
      { kind: 'tool', state: 'begun', id: 't1', name: 'Bash', input: '{"command":"npm test"}' },
      { kind: 'tool', state: 'ended', id: 't1', name: 'Bash', result: 'ok\n[image]', isSuccess: true, exitCode: 0 },
    ],
  );
});

test('the exit code of a failed command is read from its text', () => {
  const [, ended] = signalsOf(says(BASH), returns('Exit code 3\nboom', true));
  assert.ok(ended?.kind === 'tool' && ended.state === 'ended');
  assert.deepEqual([ended.isSuccess, ended.exitCode], [false, 3]);
});

test('tokens are counted while a message is written, and the result has the last word', () => {
  const stream = (event: unknown) => ({ type: 'stream_event', event });
  const usages = signalsOf(
    stream({
      type: 'message_start',
      message: { usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 } },
    }),
    stream({ type: 'content_block_delta', delta: {} }),
    stream({ type: 'message_delta', usage: { output_tokens: 7 } }),
    stream({ type: 'message_start', message: { usage: { input_tokens: 20, output_tokens: 1 } } }),
    stream({ type: 'message_delta', usage: { output_tokens: 2 } }),
    {
      type: 'result',
      is_error: false,
      result: 'done',
      total_cost_usd: 0.5,
      usage: { input_tokens: 36, output_tokens: 9 },
    },
  ).filter(({ kind }) => kind === 'usage');
  assert.deepEqual(
    usages.map((usage) => usage.kind === 'usage' && [usage.tokensInput, usage.tokensOutput, usage.costUsd]),
    [
      [15, 1, null],
      [15, 7, null],
      [35, 8, null],
      [35, 9, null],
      [36, 9, 0.5],
    ],
  );
});

test('a total that has the earlier runs of a resumed session is counted without them, any other as it is', () => {
  const before = { costUsd: 0.00096, tokensInput: 120, tokensOutput: 24 };
  const result = (turns: number) => ({
    type: 'result',
    is_error: false,
    total_cost_usd: 0.00096 * turns,
    usage: { input_tokens: 120, output_tokens: 24 },
    modelUsage: { 'claude-x': { inputTokens: 120 * turns, outputTokens: 24 * turns, costUSD: 0.00096 * turns } },
  });
  const costs = [1, 2].map((turns) => {
    const { signals } = new ClaudeConversation(before).hear(line(result(turns)));
    return signals[0]?.kind === 'usage' && signals[0].costUsd?.toFixed(5);
  });
  assert.deepEqual(costs, ['0.00096', '0.00096']);
});

test('a run that stopped at its cap on money keeps the tokens of its turns', () => {
  const signals = signalsOf(
    {
      type: 'stream_event',
      event: { type: 'message_start', message: { usage: { input_tokens: 120, output_tokens: 1 } } },
    },
    { type: 'stream_event', event: { type: 'message_delta', usage: { output_tokens: 24 } } },
    {
      ...{
        type: 'result',
        subtype: 'error_max_budget_usd',
        is_error: true,
        errors: ['Reached maximum budget ($0.0005)'],
      },
      ...{ total_cost_usd: 0.00096, usage: { input_tokens: 0, output_tokens: 0 } },
    },
  );
  const [usage, failure] = signals.slice(-2);
  assert.deepEqual(usage, { kind: 'usage', costUsd: 0.00096, tokensInput: 120, tokensOutput: 24, tier: null });
  assert.equal(failure?.kind === 'failure' && failure.code, 'budget-exceeded');
});

test('a result ends the conversation with its last words', () => {
  const [reply] = hearAll({ type: 'result', is_error: false, result: 'All is done.' });
  assert.equal(reply?.isLast, true);
  assert.deepEqual(reply?.signals.at(-1), { kind: 'finished', summary: 'All is done.' });
});

test('errors of the model have a code each, and a refused login ends the run at its first retry', () => {
  const failed = (status: number | null) =>
    signalsOf({ type: 'result', is_error: true, result: 'x', api_error_status: status }).at(-1);
  const codes = [401, 403, 404, 429, 529, 400, null].map((status) => {
    const signal = failed(status);
    return signal?.kind === 'failure' && signal.code;
  });
  assert.deepEqual(codes, [
    ...['permission-denied', 'permission-denied', 'model-unavailable', 'model-unavailable'],
    ...['model-unavailable', 'process-crashed', 'process-crashed'],
  ]);
  const retry = (status: number | null) =>
    signalsOf({ type: 'system', subtype: 'api_retry', attempt: 2, error_status: status, error: 'e' });
  assert.deepEqual(retry(529), [{ kind: 'retrying', attempt: 2, status: 529, message: 'e (HTTP 529)' }]);
  assert.deepEqual(retry(null), [{ kind: 'retrying', attempt: 2, status: null, message: 'e' }]);
  assert.match(JSON.stringify(retry(401)), /permission-denied.*\/login/);
});

test('a limit of the plan is a quota with its reset; one that is not reached is none', () => {
  const limit = (status: string) => ({
    type: 'rate_limit_event',
    rate_limit_info: { status, resetsAt: 1_778_565_600, rateLimitType: 'five_hour' },
  });
  assert.deepEqual(signalsOf(limit('allowed_warning')), [{ kind: 'beat' }]);
  const message = 'the limit of its plan is reached (five_hour)';
  assert.deepEqual(signalsOf(limit('rejected')), [
    { kind: 'quota', message, resets: { kind: 'at', wallMs: 1_778_565_600_000 }, scope: 'five_hour' },
  ]);
});

test('a permission is a question, and each answer goes back once', () => {
  const conversation = new ClaudeConversation();
  const input = { file_path: '/ws/a', content: 'b' };
  const request = { subtype: 'can_use_tool', tool_name: 'Write', input };
  const { signals } = conversation.hear(line({ type: 'control_request', request_id: 'r1', request }));
  assert.deepEqual(signals, [
    {
      kind: 'question',
      id: 'r1',
      text: 'May it use Write?',
      options: ['yes', 'no'],
      permission: {
        tool: 'Write',
        input: JSON.stringify(input),
        paths: ['/ws/a'],
        access: 'edit',
        reason: null,
        allow: 'yes',
        refuse: 'no',
      },
    },
  ]);
  const yes = conversation.hear({ kind: 'answer', question: 'r1', option: 'yes' });
  assert.deepEqual(JSON.parse(yes.write ?? '').response, {
    subtype: 'success',
    request_id: 'r1',
    response: { behavior: 'allow', updatedInput: input },
  });
  assert.equal(conversation.hear({ kind: 'answer', question: 'r1', option: 'no' }).write, null);
});

test('words are a message, and an interrupt makes its result no failure', () => {
  const conversation = new ClaudeConversation();
  const { write } = conversation.hear({ kind: 'words', text: 'use "b"' });
  assert.deepEqual(JSON.parse(write ?? ''), { type: 'user', message: { role: 'user', content: 'use "b"' } });
  const interrupt = conversation.hear({ kind: 'interrupt' });
  assert.equal(JSON.parse(interrupt.write ?? '').request.subtype, 'interrupt');
  const { signals } = conversation.hear(line({ type: 'result', is_error: true, errors: ['aborted'] }));
  assert.deepEqual(signals.at(-1), { kind: 'finished', summary: null });
});

test('an unknown event is output, a known one in another form a warning with the version, and text stays text', () => {
  const strange = { type: 'system', subtype: 'api_retry', attempt: 'two' };
  assert.deepEqual(signalsOf({ type: 'new_thing', a: 1 }), [
    { kind: 'output', stream: 'stdout', text: '{"type":"new_thing","a":1}' },
  ]);
  assert.deepEqual(signalsOf(INIT, strange).slice(1), [
    { kind: 'unexpected', message: 'Claude Code 2.1.325 sent system/api_retry in a form that Baton does not know' },
    { kind: 'output', stream: 'stdout', text: JSON.stringify(strange) },
  ]);
  for (const text of ['', 'hello', '{', '[]', '{"a":1}', 'null'])
    assert.deepEqual(signalsOf(text), [{ kind: 'output', stream: 'stdout', text }]);
});

test('a request that is refused for long is a quota, one that is tried again is not', () => {
  const result = (about: object) => ({ type: 'result', is_error: true, api_error_status: 429, ...about });
  const quotas = (...events: object[]) => signalsOf(...events).filter(({ kind }) => kind === 'quota');
  // Claude Code 2.1.325 by a key: a 429 with a long retry-after.
  const rejected = 'API Error: Request rejected (429) · Number of request tokens has exceeded your rate limit';
  assert.deepEqual(quotas(result({ result: rejected })), [
    { kind: 'quota', message: rejected, resets: null, scope: null },
  ]);
  const retry = {
    type: 'system',
    subtype: 'api_retry',
    attempt: 1,
    retry_delay_ms: 573,
    error_status: 429,
    error: 'e',
  };
  assert.deepEqual(quotas(retry, result({ result: rejected })), []);
  // By a subscription: the event, then a result that repeats it.
  const info = { status: 'rejected', resetsAt: 1_794_874_783, rateLimitType: 'five_hour', overageStatus: 'rejected' };
  const event = { type: 'rate_limit_event', rate_limit_info: info };
  const said = { api_error: 'usage_limit_reached', result: "You've hit your 5-hour limit · resets 12:19am (UTC)" };
  assert.equal(quotas(event, result(said)).length, 1);
  // Versions before that event.
  const [old] = quotas(retry, result({ result: 'Claude AI usage limit reached|1749924000' }));
  assert.ok(old?.kind === 'quota');
  assert.deepEqual(old.resets, { kind: 'at', wallMs: 1_749_924_000_000 });
});

test('words of the model and of a tool about a limit are no quota', () => {
  const text = 'Claude AI usage limit reached|1749924000';
  const signals = signalsOf(
    { type: 'assistant', message: { content: [{ type: 'text', text }] } },
    { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: text, is_error: true }] } },
    { type: 'result', is_error: false, result: text },
  );
  assert.equal(
    signals.some(({ kind }) => kind === 'quota' || kind === 'failure'),
    false,
  );
});

test('after its result it is told nothing more, and a request that Baton does not know is refused', () => {
  const conversation = new ClaudeConversation();
  const request = { type: 'control_request', request_id: 'r9', request: { subtype: 'new_thing' } };
  const { write, signals } = conversation.hear(line(request));
  assert.deepEqual(JSON.parse(write ?? '').response, {
    subtype: 'error',
    request_id: 'r9',
    error: 'Baton does not know this request',
  });
  assert.equal(signals[0]?.kind, 'unexpected');
  conversation.hear(line({ type: 'result', is_error: false, result: 'done' }));
  assert.equal(conversation.hear({ kind: 'words', text: 'one more thing' }).write, null);
});
