import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventView } from '../../api/contract.ts';
import { StoryBuilder } from './story-builder.ts';

let last = 0;
const event = (type: string, payload: EventView['payload'] = {}, actor = 'dispatcher'): EventView => {
  const eventId = ++last;
  const timestamp = new Date(1_000 * eventId).toISOString();
  return { eventId, type, timestamp, actor, taskId: 'TASK-2026-02-09-057', runId: 'run_1', sessionId: null, payload };
};
function storyOf(...events: readonly EventView[]) {
  const builder = new StoryBuilder();
  for (const each of events) builder.add(each);
  return builder.items;
}

const claimed = () => event('task.claimed', { run: 'run_1' }, 'claude');
const begun = (call: string) => event('run.tool_started', { call, tool: 'Bash', input: '{"command":"ls"}' }, 'claude');
const ended = (call: string) =>
  event('run.tool_ended', { call, tool: 'Bash', isSuccess: true, exitCode: 0, result: 'a' });
const turn = (turnIndex: number, content = {}) =>
  event('turn.recorded', {
    turnIndex,
    confidence: 0.5,
    message: { content, metadata: { usage: { tokens_input: 7, tokens_output: 3 } } },
  });

test('what an agent thought, did and said until a turn is recorded is that turn', () => {
  const items = storyOf(
    claimed(),
    event('run.session_opened', { model: 'opus' }),
    event('run.thought', { text: 'hm' }),
    begun('c1'),
    ended('c1'),
    turn(0),
    event('run.spoke', { text: 'Done.' }),
    turn(1),
  );
  assert.deepEqual(
    items.map(({ kind }) => kind),
    ['attempt', 'turn', 'turn'],
  );
  const [attempt, first, second] = items;
  assert.ok(attempt?.kind === 'attempt' && attempt.model === 'opus' && attempt.agent === 'claude');
  assert.ok(first?.kind === 'turn' && second?.kind === 'turn');
  assert.deepEqual([first.index, first.thought, first.tokens], [0, 'hm', 10]);
  assert.deepEqual(
    first.steps.map(({ call, exitCode, result }) => [call, exitCode, result]),
    [['c1', 0, 'a']],
  );
  assert.deepEqual([second.index, second.words, second.action], [1, 'Done.', '']);
});

test('what a reviewer thinks and does is told as its own, also where two review at once', () => {
  const of = (agent: string, type: string, payload: EventView['payload'] = {}): EventView => ({
    ...event(type, payload, agent),
    runId: `rvw_${agent}`,
  });
  const items = storyOf(
    claimed(),
    turn(0),
    event('feedback.asked', { agent: 'codex', artifact: 'it', iteration: 1 }, 'operator'),
    of('codex', 'run.thought', { text: 'hm' }),
    of('gemini', 'run.thought', { text: 'oh' }),
    of('codex', 'run.tool_started', { call: 'c9', tool: 'Bash', input: '{}' }),
    of('codex', 'run.tool_ended', { call: 'c9', isSuccess: true, result: 'a' }),
    event('feedback.answered', { status: 'success', findings: 2 }, 'codex'),
    event('task.claimed', { run: 'run_2' }, 'claude'),
    event('run.thought', { text: 'again' }, 'claude'),
  );
  assert.deepEqual(
    items.map((item) => (item.kind === 'turn' ? [item.reviewer, item.thought, item.endedAt !== null] : item.kind)),
    [
      'attempt',
      [null, '', true],
      'line',
      ['codex', 'hm', true],
      ['gemini', 'oh', false],
      'line',
      'attempt',
      [null, 'again', false],
    ],
  );
});

test('a result that comes in a later turn belongs to its call', () => {
  const items = storyOf(claimed(), begun('c1'), turn(0), begun('c2'), ended('c1'), turn(1));
  const [, first, second] = items;
  assert.ok(first?.kind === 'turn' && second?.kind === 'turn');
  assert.equal(first.steps[0]?.result, 'a');
  assert.equal(second.steps[0]?.endedAt, null);
});

test('a turn of SAOP has its thought while it is streamed, its calls once, and the files that it changed', () => {
  const traced = (payload: object) => event('trace.event_recorded', { message: { payload } });
  const call = { call_id: 'c1', tool: 'bash' };
  const chunk = (turn_index: number, text: string) =>
    traced({ type: 'THOUGHT_STREAM', turn_index, chunk: text, is_final: false });
  const early = [claimed(), chunk(0, 'first '), chunk(0, 'this')];
  const open = storyOf(...early)[1];
  assert.ok(open?.kind === 'turn' && open.streamed === 'first this' && open.endedAt === null);
  const items = storyOf(
    ...early,
    traced({ type: 'TOOL_LIFECYCLE_INVOKED', ...call, arguments: { command: 'ls' } }),
    traced({ type: 'TOOL_LIFECYCLE_COMPLETED', ...call, status: 'failure' }),
    turn(0, { thought: 'first this' }),
    begun('c1'),
    event('run.tool_ended', { call: 'c1', isSuccess: false, result: 'failure' }),
    chunk(0, 'first this'),
    event('workspace.recorded', { turnIndex: 0, paths: ['src/a.ts'] }),
  );
  assert.deepEqual(
    items.map(({ kind }) => kind),
    ['attempt', 'turn'],
  );
  const [, shown] = items;
  assert.ok(shown?.kind === 'turn');
  assert.deepEqual([shown.index, shown.thought, shown.files], [0, 'first this', ['src/a.ts']]);
  assert.deepEqual(
    shown.steps.map(({ call: id, isSuccess, result }) => [id, isSuccess, result]),
    [['c1', false, null]],
  );
});

test('a turn without steps shows what its envelope says', () => {
  const [, shown] = storyOf(claimed(), turn(0, { thought: 't', action: 'a', observation: 'o' }));
  assert.ok(shown?.kind === 'turn');
  assert.deepEqual([shown.thought, shown.action, shown.observation], ['t', 'a', 'o']);
});

test('a run that dies in the middle of a turn ends the turn; a retry is another attempt', () => {
  const items = storyOf(claimed(), begun('c1'), event('run.exited', { end: 'failed', message: 'crashed' }), claimed());
  assert.deepEqual(
    items.map(({ kind }) => kind),
    ['attempt', 'turn', 'line', 'attempt'],
  );
  assert.ok(items[1]?.kind === 'turn' && items[1].endedAt !== null && items[1].index === null);
  assert.ok(items[2]?.kind === 'line' && items[2].tone === 'bad' && items[2].payload.message === 'crashed');
  assert.ok(items[3]?.kind === 'attempt' && items[3].number === 2);
});

test('checks and questions stand where they happened, and an answer joins its question', () => {
  const items = storyOf(
    event('order.snapshotted', {
      checks: [{ id: 'npm test', result: 'failed', message: 'npm test: exit 1', why: 'exit 1' }],
    }),
    claimed(),
    event('question.asked', { question: 'qst_1', what: 'run npm i', options: ['yes', 'no'] }, 'claude'),
    event('question.answered', { question: 'qst_1', answer: 'yes' }, 'operator'),
    event('run.verified', { results: [{ id: 'npm test', result: 'passed', message: 'exit 0' }] }),
  );
  assert.deepEqual(
    items.map(({ kind }) => kind),
    ['checks', 'attempt', 'question', 'checks'],
  );
  assert.ok(items[0]?.kind === 'checks' && items[0].when === 'before' && items[0].results[0]?.message === 'exit 1');
  assert.ok(items[2]?.kind === 'question' && items[2].answer?.option === 'yes' && items[2].answer.by === 'operator');
});

test('events of a newer node are told by their type, and nothing breaks on odd payloads', () => {
  const items = storyOf(
    event('something.new', { a: 1 }),
    event('run.verified', { results: 'x' }),
    event('run.tool_ended', {}),
    event('turn.recorded', { message: null }),
    event('review.returned', { items: [{ aspect: 'src/a.ts:3', text: 'rename' }, null] }, 'operator'),
  );
  assert.ok(items[0]?.kind === 'line' && items[0].type === 'something.new');
  assert.deepEqual(items.at(-1)?.kind === 'line' && items.at(-1), {
    ...items.at(-1),
    more: ['1. src/a.ts:3: rename', '2. : '],
  });
});

test('lines of output stand where they were printed, and other events of the trace are not told', () => {
  const pulse = (line: string) => ({ payload: { type: 'SANDBOX_PULSE', line } });
  const items = storyOf(
    claimed(),
    event('trace.event_recorded', {
      kind: 'SANDBOX_PULSE',
      lines: 2,
      messages: [pulse('one'), pulse('\u001b[31mtwo')],
    }),
    event('trace.event_recorded', { kind: 'SANDBOX_PULSE', message: pulse('three') }),
    event('trace.event_recorded', { kind: 'THOUGHT_STREAM', message: { payload: { type: 'THOUGHT_STREAM' } } }),
    begun('c1'),
    event('trace.event_recorded', { kind: 'SANDBOX_PULSE', message: pulse('four') }),
  );
  assert.deepEqual(
    items.map((item) => (item.kind === 'output' ? item.lines : item.kind)),
    ['attempt', ['one', '\u001b[31mtwo'], ['three'], 'turn', ['four']],
  );
});
