import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleTask } from '../../../../test/support/message/aop-samples.ts';
import { changed, HEARTBEAT, RESPONSE, read } from '../../../../test/support/message/wire-samples.ts';
import { anOrder } from '../../../../test/support/order/an-order.ts';
import { WireReader } from './wire-reader.ts';

const TURN = JSON.stringify({
  turn_index: 1,
  agent_id: 'developer',
  role: 'developer',
  content: { thought: 'so', action: '', observation: '' },
  metadata: {
    version: '1.0.0',
    task_id: 'T-1',
    timestamp: '2026-02-26T12:37:01Z',
    confidence: 0.5,
    estimated_complexity: 'low',
  },
});

test('SAOP turns and AOF/1 lines are messages for the node', () => {
  const aof = 'AOF/1 {"protocol":"aof"}';
  assert.deepEqual(read([TURN, aof]), [
    { kind: 'message', text: TURN },
    { kind: 'message', text: aof },
  ]);
});

function saopEvent(payload: object): string {
  const timestamp = '2026-02-26T12:37:01Z';
  const event_id = '3f2f4a3e-3b7e-4a53-9d2b-6a1d5f0c9a10';
  return JSON.stringify({ event_id, session_id: 'S', payload: { ...payload, timestamp } });
}

test('a SAOP event is a message for the node', () => {
  const tool = { type: 'TOOL_LIFECYCLE_INVOKED', call_id: 'c1', tool: 'grep', arguments: { q: 'x' } };
  const lines = [tool, { type: 'SANDBOX_PULSE', line: 'ok', masked: false }].map(saopEvent);
  assert.deepEqual(
    read(lines),
    lines.map((text) => ({ kind: 'message', text })),
  );
});

test('an AOF object without the prefix is a message for the node, on one line or on several', () => {
  const message = { protocol: 'aof', version: 1, type: 'status.update' };
  assert.deepEqual(read([JSON.stringify(message)]), [{ kind: 'message', text: JSON.stringify(message) }]);
  const pretty = JSON.stringify(message, null, 2);
  assert.deepEqual(read(pretty.split('\n')), [{ kind: 'message', text: pretty }]);
});

test('an agent that was given words and no TASK has nothing to answer in AOP', () => {
  const reader = new WireReader(null);
  const line = (text: string, isTruncated = false) =>
    reader.line({ stream: 'stdout', text, isTruncated }).map(({ kind }) => kind);
  assert.deepEqual(
    [line(RESPONSE), line(HEARTBEAT), line(RESPONSE.slice(0, 60), true)],
    [['output'], ['output'], ['output']],
  );
  assert.deepEqual([line(TURN), line('AOF/1 {}')], [['message'], ['message']]);
});

test('an event about another task is a message, which is refused where messages are received', () => {
  const text = HEARTBEAT.replace('"T-1"', '"T-2"');
  assert.deepEqual(read([text]), [{ kind: 'message', text }]);
});

test('a malformed event or turn is a message, so that the node says what is wrong with it', () => {
  const wrong = [
    HEARTBEAT.replace('HEARTBEAT', 'HARTBEAT'),
    HEARTBEAT.replace('2026-02-26T12:37:01Z', 'noon'),
    TURN.replace('"low"', '"none"'),
  ];
  assert.deepEqual(
    read(wrong),
    wrong.map((text) => ({ kind: 'message', text })),
  );
});

test('a TASK, and text that is no message, are output', () => {
  const others = [JSON.stringify(sampleTask()), ` AOF/1 {}`, '', `> ${RESPONSE}`, `[${RESPONSE}]`];
  assert.deepEqual(
    read(others),
    others.map((text) => ({ kind: 'output', stream: 'stdout', text })),
  );
});

test('all of stderr is output', () => {
  const reader = new WireReader(anOrder());
  assert.deepEqual(reader.line({ stream: 'stderr', text: RESPONSE, isTruncated: false }), [
    { kind: 'output', stream: 'stderr', text: RESPONSE },
  ]);
});

test('the cost in a RESPONSE is the total of the run: a later one replaces it, field by field', () => {
  const lines = [
    changed({
      cost_tracking: {
        estimated_cost_usd: 0.1,
        actual_cost_usd: 0.2,
        tokens_input: 10,
        tokens_output: 5,
        model_pricing_tier: 'standard',
      },
    }),
    RESPONSE,
    changed({ cost_tracking: { estimated_cost_usd: 0.3, tokens_input: 20 } }),
  ];
  assert.deepEqual(
    read(lines).filter(({ kind }) => kind === 'usage'),
    [
      { kind: 'usage', costUsd: 0.2, tokensInput: 10, tokensOutput: 5, tier: 'standard' },
      { kind: 'usage', costUsd: 0.3, tokensInput: 20, tokensOutput: null, tier: null },
    ],
  );
});

test('an event may report the cost so far; a value that is no amount is ignored', () => {
  const costs = [
    { actual_cost_usd: 0.5, tokens_input: 10 },
    { actual_cost_usd: -1, tokens_input: 'many', tokens_output: 7 },
  ];
  const lines = costs.map((cost) =>
    JSON.stringify({ ...JSON.parse(HEARTBEAT), extensions: { x_cost_tracking: cost } }),
  );
  assert.deepEqual(
    read(lines).filter(({ kind }) => kind === 'usage'),
    [
      { kind: 'usage', costUsd: 0.5, tokensInput: 10, tokensOutput: null, tier: null },
      { kind: 'usage', costUsd: null, tokensInput: null, tokensOutput: 7, tier: null },
    ],
  );
});
