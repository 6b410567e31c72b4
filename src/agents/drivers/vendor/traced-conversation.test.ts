import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../../../../test/support/test-clock.ts';
import type { AgentSignal } from '../../../domain/agent/agent-signal.ts';
import { randomIds } from '../../../platform/ids.ts';
import { saopCodec } from '../../../protocols/saop/codec.ts';
import type { EventPayload, TurnEnvelope } from '../../../protocols/saop/schema.ts';
import { listenOnly } from '../../agent-driver.ts';
import { TracedConversation } from './traced-conversation.ts';

const RUN = { taskId: 'TASK-2026-02-09-057', sessionId: 'ses_1', role: 'developer' } as const;
const begun = (id: string, name: string, input = '{}'): AgentSignal => ({
  ...{ kind: 'tool', state: 'begun', id, name, input },
});
const ended = (id: string, name: string, result: string, isSuccess = true): AgentSignal => ({
  ...{ kind: 'tool', state: 'ended', id, name, result, isSuccess },
});
const thought = (text: string): AgentSignal => ({ kind: 'thought', text });
const words = (text: string): AgentSignal => ({ kind: 'words', text });

/** The trace of a run that gives these signals, each 100 ms after the one before. */
function trace(...signals: readonly AgentSignal[]) {
  const clock = new TestClock();
  let next: readonly AgentSignal[] = [];
  const reader = listenOnly({ line: () => next, end: () => [] });
  const conversation = new TracedConversation(reader, RUN, { clock, ids: randomIds() });
  const all = [
    ...signals.flatMap((signal) => {
      clock.step(100);
      next = [signal];
      const line = { stream: 'stdout', text: '', isTruncated: false } as const;
      return conversation.hear({ kind: 'line', line }).signals;
    }),
    ...conversation.end(),
  ];
  const texts = all.flatMap((signal) => (signal.kind === 'trace' ? [signal.message.envelope] : []));
  for (const text of texts) {
    const read = saopCodec.decode(text);
    assert.equal(read.verdict, 'accepted', text);
  }
  const values = texts.map((text) => JSON.parse(text));
  const events = values.filter(({ payload }) => payload).map(({ payload }) => payload as EventPayload);
  const turns = values.filter(({ metadata }) => metadata) as TurnEnvelope[];
  assert.ok(values.every((value) => value.metadata?.task_id === RUN.taskId || value.session_id === RUN.sessionId));
  return { all, values, events, turns, contents: turns.map(({ content }) => content) };
}

test('a turn is what the model said before the next results, and observes the results of the one before', () => {
  const { contents, turns } = trace(
    ...[thought('tests first'), words('I run them.'), begun('1', 'Bash', '{"command":"npm test"}')],
    ...[ended('1', 'Bash', '1 failing', false), thought('fix it'), begun('2', 'Edit'), begun('3', 'Read')],
    ...[ended('2', 'Edit', 'ok'), ended('3', 'Read', 'text'), words('Done.'), { kind: 'finished' } as const],
  );
  assert.deepEqual(contents, [
    { thought: 'tests first', action: 'I run them.\nBash {"command":"npm test"}', observation: '' },
    { thought: 'fix it', action: 'Edit {}\nRead {}', observation: 'Bash {"command":"npm test"}: 1 failing' },
    { thought: '', action: 'Done.', observation: 'Edit {}: ok\nRead {}: text' },
  ]);
  assert.deepEqual(
    turns.map((turn) => [turn.turn_index, turn.agent_id, turn.metadata.estimated_complexity]),
    [
      [0, 'developer', 'low'],
      [1, 'developer', 'medium'],
      [2, 'developer', 'low'],
    ],
  );
});

test('every tool call is invoked and completed under one id, with its time; one without an end is a timeout', () => {
  const { events } = trace(
    begun('1', 'Bash', '{"command":"ls"}'),
    ended('1', 'Bash', 'x', false),
    begun('2', 'odd', 'not JSON'),
  );
  const calls = events.filter(({ type }) => type.startsWith('TOOL_'));
  assert.deepEqual(
    calls.map(({ type, ...rest }) => {
      const { timestamp: _timestamp, ...payload } = rest as Record<string, unknown>;
      return [type, payload];
    }),
    [
      ['TOOL_LIFECYCLE_INVOKED', { call_id: '1', tool: 'Bash', arguments: { command: 'ls' } }],
      ['TOOL_LIFECYCLE_COMPLETED', { call_id: '1', tool: 'Bash', status: 'failure', duration_ms: 100 }],
      ['TOOL_LIFECYCLE_INVOKED', { call_id: '2', tool: 'odd', arguments: { input: 'not JSON' } }],
      ['TOOL_LIFECYCLE_COMPLETED', { call_id: '2', tool: 'odd', status: 'timeout', duration_ms: 0 }],
    ],
  );
});

test('thoughts are streamed as they come, and exactly the last chunk of each turn is final', () => {
  const { all, events } = trace(
    ...[thought('a'), thought('b'), begun('1', 'Bash'), ended('1', 'Bash', ''), thought('c')],
    ...[begun('2', 'Bash'), ended('2', 'Bash', ''), words('Done.')],
  );
  assert.deepEqual(
    all.slice(0, 2).map(({ kind }) => kind),
    ['thought', 'trace'],
  );
  assert.deepEqual(
    events.flatMap((each) => (each.type === 'THOUGHT_STREAM' ? [[each.turn_index, each.chunk, each.is_final]] : [])),
    [
      [0, 'a', false],
      [0, 'b', false],
      [0, '', true],
      [1, 'c', false],
      [1, '', true],
      [2, '', true],
    ],
  );
});

test('results that the model said nothing about are the observation of a last turn', () => {
  const { contents } = trace(begun('1', 'Bash'), ended('1', 'Bash', 'killed', false));
  assert.deepEqual(contents.at(-1), { thought: '', action: '', observation: 'Bash {}: killed' });
});

test('a turn and its events have exactly the fields of the document', () => {
  const { values } = trace(thought('look'), begun('1', 'Bash', '{"command":"ls"}'), ended('1', 'Bash', 'a.txt'));
  const [at200, at300] = ['2026-02-09T20:55:00.200Z', '2026-02-09T20:55:00.300Z'];
  const chunk = { type: 'THOUGHT_STREAM', agent_id: 'developer', turn_index: 0 };
  const call = { call_id: '1', tool: 'Bash' };
  const metadata = {
    version: '1.0.0',
    task_id: RUN.taskId,
    timestamp: at300,
    confidence: 0.5,
    estimated_complexity: 'low',
  };
  const who = { agent_id: 'developer', role: 'developer' };
  const content = { thought: 'look', action: 'Bash {"command":"ls"}', observation: '' };
  const observed = { thought: '', action: '', observation: 'Bash {"command":"ls"}: a.txt' };
  const payloads = [
    { ...chunk, chunk: 'look', is_final: false },
    { type: 'TOOL_LIFECYCLE_INVOKED', ...call, arguments: { command: 'ls' }, timestamp: at200 },
    { ...chunk, chunk: '', is_final: true },
    { type: 'TOOL_LIFECYCLE_COMPLETED', ...call, status: 'success', duration_ms: 100, timestamp: at300 },
    { ...chunk, turn_index: 1, chunk: '', is_final: true },
  ];
  const ids = values.flatMap(({ event_id }) => event_id ?? []);
  assert.equal(new Set(ids).size, payloads.length);
  assert.deepEqual(
    values.filter(({ payload }) => payload),
    payloads.map((payload, index) => ({ event_id: ids[index], session_id: RUN.sessionId, payload })),
  );
  assert.deepEqual(
    values.filter(({ metadata }) => metadata),
    [
      { turn_index: 0, ...who, content, metadata },
      { turn_index: 1, ...who, content: observed, metadata },
    ],
  );
});

test('usage so far goes with each turn, and signals stay as they are and in order', () => {
  const usage = { kind: 'usage', costUsd: 0.02, tokensInput: 10, tokensOutput: 5, tier: null } as const;
  const { turns, all } = trace(usage, words('hi'));
  const { metadata } = turns[0] as unknown as { metadata: { usage: unknown } };
  assert.deepEqual(metadata.usage, { tokens_input: 10, tokens_output: 5, cost_usd: 0.02 });
  assert.deepEqual(all.slice(0, 2), [usage, words('hi')]);
});

test('a run without any word of a model has no trace', () => {
  assert.deepEqual(trace({ kind: 'output', stream: 'stdout', text: 'x' }, { kind: 'beat' }).all.length, 2);
});
