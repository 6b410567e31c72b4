import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import * as acp from '@agentclientprotocol/sdk';
import { aLaunch, fixtureAgent } from '../../../../test/support/agent/a-launch.ts';
import type { AgentSignal } from '../../../domain/agent/agent-signal.ts';
import type { Launch } from '../../agent-driver.ts';
import { AcpConversation, initializeRequest } from './acp-conversation.ts';

const AGENT = { ...fixtureAgent('completes'), name: 'zed', driver: 'acp' } as const;

function conversation(changes: Partial<Launch> = {}): AcpConversation {
  return new AcpConversation({ ...aLaunch({ agent: AGENT }), ...changes });
}

function hear(talk: AcpConversation, message: unknown) {
  const text = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...(message as object) });
  return talk.hear({ kind: 'line', line: { stream: 'stdout', text, isTruncated: false } });
}

/** A conversation whose prompt has been sent. */
function begun(changes: Partial<Launch> = {}): AcpConversation {
  const talk = conversation(changes);
  const agentInfo = { name: 'zed', version: '1.2.3' };
  hear(talk, { id: 1, result: { protocolVersion: 1, agentInfo, agentCapabilities: { loadSession: true } } });
  hear(talk, { id: 2, result: { sessionId: 's1' } });
  return talk;
}

const update = (value: object) => ({ method: 'session/update', params: { sessionId: 's1', update: value } });
const says = (text: string) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const toolCall = { toolCallId: 't1', title: 'npm test', kind: 'execute', rawInput: { command: 'npm test' } };
const asks = (id: number) => ({
  id,
  method: 'session/request_permission',
  params: {
    sessionId: 's1',
    toolCall,
    options: [
      { optionId: 'ever', name: 'Always', kind: 'allow_always' },
      { optionId: 'once', name: 'Allow', kind: 'allow_once' },
      { optionId: 'never', name: 'Reject', kind: 'reject_once' },
    ],
  },
});

test('an agent of the official library is led from its greeting to its end, permission included', async () => {
  const heard: string[] = [];
  const app = acp
    .agent({ name: 'zed' })
    .onRequest('initialize', async () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true } }))
    .onRequest('session/new', async () => ({ sessionId: 's1' }))
    .onRequest('session/prompt', async ({ params, client }) => {
      heard.push(JSON.stringify(params.prompt));
      const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' as const }];
      const asked = { sessionId: 's1', toolCall: { toolCallId: 't1', title: 'edit' }, options };
      const answer = await client.request(acp.methods.client.session.requestPermission, asked);
      const { outcome } = answer as acp.RequestPermissionResponse;
      heard.push(JSON.stringify(outcome));
      return { stopReason: 'end_turn' as const };
    });
  const talk = conversation();
  const signals: AgentSignal[] = [];
  const toAgent = new Readable({ read() {} });
  const ended = new Promise<void>((resolve) => {
    const fromAgent = new Writable({
      write(chunk, _encoding, done) {
        for (const line of String(chunk).trim().split('\n')) {
          const reply = hear(talk, line);
          signals.push(...reply.signals);
          if (reply.write !== null) toAgent.push(reply.write);
          const question = reply.signals.find(({ kind }) => kind === 'question');
          if (question?.kind === 'question') {
            toAgent.push(talk.hear({ kind: 'answer', question: question.id, option: 'y' }).write);
          }
          if (reply.isLast) resolve();
        }
        done();
      },
    });
    app.connect(acp.ndJsonStream(Writable.toWeb(fromAgent), Readable.toWeb(toAgent) as ReadableStream<Uint8Array>));
    toAgent.push(initializeRequest());
  });
  await ended;
  toAgent.push(null);
  assert.equal(heard[1], '{"outcome":"selected","optionId":"y"}');
  assert.deepEqual(
    signals.map(({ kind }) => kind),
    ['vendor-session', 'question', 'finished'],
  );
});

test('pieces of words are one passage, tools begin and end, and usage is counted', () => {
  const talk = begun();
  const signals = [
    says('I '),
    says('try.'),
    update({ sessionUpdate: 'tool_call', ...toolCall }),
    update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'failed', rawOutput: { exit_code: 3 } }),
    update({ sessionUpdate: 'usage_update', used: 5, size: 9, cost: { amount: 0.25, currency: 'USD' } }),
    { id: 4, result: { stopReason: 'end_turn', usage: { inputTokens: 7, cachedReadTokens: 2, outputTokens: 3 } } },
  ].flatMap((message) => hear(talk, message).signals);
  assert.deepEqual(
    signals.filter(({ kind }) => kind !== 'beat'),
    [
      { kind: 'words', text: 'I try.' },
      { kind: 'tool', state: 'begun', id: 't1', name: 'npm test', input: '{"command":"npm test"}' },
      {
        kind: 'tool',
        state: 'ended',
        id: 't1',
        name: 'npm test',
        result: '{"exit_code":3}',
        isSuccess: false,
        exitCode: 3,
      },
      { kind: 'usage', costUsd: 0.25, tokensInput: null, tokensOutput: null, tier: null },
      { kind: 'usage', costUsd: 0.25, tokensInput: 9, tokensOutput: 3, tier: null },
      { kind: 'finished', summary: 'I try.' },
    ],
  );
});

test('late news of a call neither cuts a passage nor begins the call again', () => {
  const talk = begun();
  const news = { sessionUpdate: 'tool_call_update', toolCallId: 't1' };
  const signals = [
    update({ sessionUpdate: 'tool_call', ...toolCall }),
    says('The file '),
    update({ ...news, status: 'completed' }),
    says('is writ'),
    update({ ...news, title: 'Running the tests' }),
    says('ten.'),
    { id: 4, result: { stopReason: 'end_turn' } },
  ].flatMap((message) => hear(talk, message).signals);
  assert.deepEqual(
    signals.flatMap((each) => (each.kind === 'tool' ? [each.state] : each.kind === 'words' ? [each.text] : [])),
    ['begun', 'ended', 'The file is written.'],
  );
  assert.deepEqual(signals.at(-1), { kind: 'finished', summary: 'The file is written.' });
});

test('a call whose input is still being written begins when it is known, or when a permission asks for it', () => {
  const prepared = (id: string) =>
    update({ sessionUpdate: 'tool_call', toolCallId: id, title: 'Shell', status: 'pending', rawInput: {} });
  const talk = begun();
  assert.deepEqual(hear(talk, prepared('t2')).signals, [{ kind: 'beat' }]);
  const known = { toolCallId: 't2', title: 'Shell: ls', status: 'in_progress', rawInput: { command: 'ls' } };
  assert.deepEqual(hear(talk, update({ sessionUpdate: 'tool_call_update', ...known })).signals, [
    { kind: 'tool', state: 'begun', id: 't2', name: 'Shell', input: '{"command":"ls"}' },
  ]);
  hear(talk, prepared('t1'));
  const { signals } = hear(talk, asks(8));
  assert.deepEqual(
    signals.map((each) => (each.kind === 'tool' ? [each.name, each.state] : each.kind)),
    [['Shell', 'begun'], 'question'],
  );
});

test('a permission is a question with its command; the answer is one of its options, and never for always', () => {
  const talk = begun();
  const [question] = hear(talk, asks(9)).signals;
  assert.ok(question?.kind === 'question');
  assert.deepEqual(question.permission, {
    tool: 'npm test',
    input: '{"command":"npm test"}',
    paths: [],
    access: 'command',
    command: 'npm test',
    reason: null,
    allow: 'once',
    refuse: 'never',
  });
  const answered = talk.hear({ kind: 'answer', question: question.id, option: 'once' }).write ?? '';
  assert.deepEqual(JSON.parse(answered).result, { outcome: { outcome: 'selected', optionId: 'once' } });
  assert.equal(talk.hear({ kind: 'answer', question: question.id, option: 'once' }).write, null);
});

test('an interrupt cancels the session and what was asked, and the end is in order', () => {
  const talk = begun();
  hear(talk, asks(9));
  const lines = (talk.hear({ kind: 'interrupt' }).write ?? '').trim().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).method ?? JSON.parse(line).result.outcome.outcome),
    ['session/cancel', 'cancelled'],
  );
  const { signals, isLast } = hear(talk, { id: 4, result: { stopReason: 'cancelled' } });
  assert.deepEqual([signals, isLast], [[{ kind: 'finished', summary: null }], true]);
});

const spends = (inputTokens: number, outputTokens: number) => {
  const content = { type: 'text', text: '' };
  return update({ sessionUpdate: 'agent_message_chunk', content, _meta: { usage: { inputTokens, outputTokens } } });
};

test('a session is loaded where the agent can; its history is no news, and its cost and tokens are counted once', () => {
  const spentInSession = { costUsd: 1, tokensInput: 0, tokensOutput: 0 };
  const talk = conversation({ resume: 's0', spentInSession });
  const { write } = hear(talk, { id: 1, result: { agentCapabilities: { loadSession: true } } });
  assert.deepEqual([JSON.parse(write ?? '').method, JSON.parse(write ?? '').params.sessionId], ['session/load', 's0']);
  assert.deepEqual(hear(talk, says('Long ago.')).signals, [{ kind: 'beat' }]);
  assert.deepEqual(hear(talk, spends(2400, 50)).signals, [{ kind: 'beat' }]);
  const prompted = JSON.parse(hear(talk, { id: 3, result: null }).write ?? '');
  assert.deepEqual([prompted.method, prompted.params.sessionId], ['session/prompt', 's0']);
  const [usage] = hear(talk, update({ sessionUpdate: 'usage_update', cost: { amount: 1.5, currency: 'USD' } })).signals;
  assert.ok(usage?.kind === 'usage');
  assert.equal(usage.costUsd, 0.5);
  const [spent] = hear(talk, spends(7, 2)).signals;
  assert.ok(spent?.kind === 'usage');
  assert.deepEqual([spent.tokensInput, spent.tokensOutput], [7, 2]);
});

test('an agent that cannot load a session fails before it names one, so that it is started afresh', () => {
  const { signals, isLast } = hear(conversation({ resume: 's0' }), { id: 1, result: {} });
  assert.deepEqual([signals.map(({ kind }) => kind), isLast], [['failure'], true]);
});

const FAILURES: readonly (readonly [object, string, RegExp])[] = [
  [{ code: -32000, message: 'Authentication required' }, 'permission-denied', /log in to zed by its own command/],
  [{ code: -32603, message: 'Internal error', data: { details: '401 no' } }, 'permission-denied', /401 no/],
  [{ code: -32603, message: 'Internal error', data: '503 busy' }, 'model-unavailable', /503 busy/],
  [{ code: -32500, message: 'no' }, 'process-crashed', /it gave up: no/],
];

test('an error of the agent has the code of its cause', () => {
  for (const [error, code, words] of FAILURES) {
    const [failure] = hear(begun(), { id: 4, error }).signals;
    assert.ok(failure?.kind === 'failure');
    assert.equal(failure.code, code);
    assert.match(failure.message, words);
  }
});

test('a turn that ends in order with an error of the model as its words is a failure', () => {
  const talk = begun();
  hear(talk, says('Ran into this error: Status: 401 Unauthorized.\n\nPlease retry if you think so.'));
  const failure = hear(talk, { id: 4, result: { stopReason: 'end_turn' } }).signals.at(-1);
  assert.deepEqual([failure?.kind, failure?.kind === 'failure' && failure.code], ['failure', 'permission-denied']);
});

test('words of goose for a model that it did not reach, or that broke off, are a failure', () => {
  // goose 1.34.
  for (const words of [
    'Network error: Network error — check your network connection.\n\nPlease resend your message to try again.',
    'HelRan into this error: Request failed: Stream decode error.\n\nPlease retry if you think so.',
  ]) {
    const talk = begun();
    hear(talk, says(words));
    assert.equal(hear(talk, { id: 4, result: { stopReason: 'end_turn' } }).signals.at(-1)?.kind, 'failure', words);
  }
});

test('a turn that ends without a word or a tool call is told so', () => {
  const end = hear(begun(), { id: 4, result: { stopReason: 'end_turn' } }).signals.at(-1);
  assert.match((end?.kind === 'finished' && end.summary) || '', /without a word; its model may have given no answer/);
});

test('a limit of the vendor that the agent tells in words is a quota, one of a bill is credit', () => {
  const ended = (words: string) => {
    const talk = begun();
    hear(talk, says(`Ran into this error: Rate limit exceeded: ${words}.\n\nPlease retry if you think so.`));
    const quota = hear(talk, { id: 4, result: { stopReason: 'end_turn' } }).signals.find(
      ({ kind }) => kind === 'quota',
    );
    return quota?.kind === 'quota' && [quota.scope, quota.resets];
  };
  assert.deepEqual(ended('slow down'), [null, null]);
  assert.deepEqual(ended('check your plan and billing details'), ['credit', null]);
  assert.deepEqual(ended('check your billing. Please retry in 34s'), [null, { kind: 'in', ms: 34_000 }]);
});

test('files and terminals are not offered, and a request for them is refused', () => {
  const { clientCapabilities } = JSON.parse(initializeRequest()).params;
  assert.deepEqual(clientCapabilities, { fs: { readTextFile: false, writeTextFile: false }, terminal: false });
  for (const method of ['fs/read_text_file', 'fs/write_text_file', 'terminal/create', 'vendor/own']) {
    const { write } = hear(begun(), { id: 7, method, params: { path: '/etc/passwd' } });
    assert.equal(JSON.parse(write ?? '').error.code, -32601, method);
  }
});

test('an unknown update is kept as output, and a changed one is a warning with the version', () => {
  const unknown = hear(begun(), update({ sessionUpdate: 'new_thing' })).signals;
  assert.deepEqual(
    unknown.map(({ kind }) => kind),
    ['output'],
  );
  const changed = hear(begun(), update({ sessionUpdate: 'tool_call', toolCallId: 5 })).signals;
  assert.deepEqual(changed[0], {
    kind: 'unexpected',
    message: 'zed 1.2.3 sent tool_call in a form that Baton does not know',
  });
});
