import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastSeq, selectEvents, selectEventsThat } from '../../src/ledger/statements/events.ts';
import { recordTrace } from '../../src/trace/record-trace.ts';
import { TaskLife } from '../support/task/task-life.ts';

const life = await TaskLife.open();
const ALL = { taskId: null, runId: null, sessionId: null, types: null, sinceMs: 0 };
const PAGE = { after: 0, limit: 100 };
const aTurn = (index: number, envelope: string) => ({
  ...{ eventId: null, type: 'TURN', envelope },
  fact: { kind: 'turn', index, role: 'developer', confidence: 0.9, thought: 'hm', observation: '' } as const,
});
const EVENT_ID = 'b7c1f6f0-5a0e-4d8e-9d5e-0c6a6a7d1f10';

test('every event of a run names it, from the move to in-progress to the move out of it', async () => {
  const { id, run } = await life.claimed();
  await life.report(id, 'done');
  await life.end(id);
  const types = selectEventsThat(life.at.ledger.read, { ...ALL, runId: run.id }, PAGE).map(({ type }) => type);
  assert.deepEqual(types.slice(0, 3), ['task.transitioned', 'task.claimed', 'protocol.message.received']);
  assert.ok(types.includes('task.completed'));
  assert.deepEqual(types.slice(-2), ['run.ended', 'task.transitioned']);
});

test('events are found by task and run, and by session, in an index', () => {
  const found = { task: ['task_id', 'AND run_id = ?'], session: ['session_id', ''] };
  for (const [name, [column, more]] of Object.entries(found)) {
    const sql = `EXPLAIN QUERY PLAN SELECT id FROM events WHERE ${column} = ? ${more} AND seq > ? ORDER BY seq LIMIT 1`;
    const values = more === '' ? ['x', 0] : ['x', 'y', 0];
    const plan = life.at.ledger.read.all(sql, ...values).map(({ detail }) => String(detail));
    assert.match(plan.join('; '), new RegExp(`^SEARCH events USING INDEX events_by_${name} `));
  }
});

test('a turn is recorded with its event, and the same one again is recorded once', async () => {
  const { id, run } = await life.claimed();
  const turn = { taskId: id, runId: run.id, ...aTurn(0, '{"thought":"secret"}') };
  const { events } = await life.do(recordTrace, turn);
  const after = lastSeq(life.at.ledger.read);
  assert.equal((await life.do(recordTrace, turn)).events.length, 0);
  assert.equal(await life.refused(recordTrace, { ...turn, envelope: '{}' }), 'turn_index_taken');
  assert.equal(lastSeq(life.at.ledger.read), after);
  const [event, thought] = selectEvents(life.at.ledger.read, after - 2);
  assert.deepEqual([event?.type, event?.taskId, event?.runId], ['turn.recorded', id, run.id]);
  assert.deepEqual(event?.payload, { run: run.id, turnIndex: 0, confidence: 0.9 });
  assert.deepEqual(
    events.map(({ seq }) => seq),
    [event?.seq, thought?.seq],
  );
  const sql = 'SELECT turn_index, envelope_json, event_id, seq FROM agent_logs WHERE task_id = ? AND turn_index = 0';
  assert.deepEqual(life.at.ledger.read.tuples(sql, id), [[0, turn.envelope, null, event?.seq]]);
});

test('the thought of a turn is stored verbatim, however long', async () => {
  const { id, run } = await life.claimed();
  const thought = `token=abc \u2028 "quoted" ${'é'.repeat(300_000)}`;
  const envelope = JSON.stringify({ content: { thought } });
  await life.do(recordTrace, { taskId: id, runId: run.id, ...aTurn(1, envelope) });
  const sql = 'SELECT envelope_json FROM agent_logs WHERE task_id = ? AND turn_index = 1';
  assert.equal(life.at.ledger.read.tuple(sql, id)?.[0], envelope);
});

test("an agent's event is recorded once a run by its id", async () => {
  const { id, run } = await life.claimed();
  const said = {
    ...{ taskId: id, runId: run.id, eventId: EVENT_ID, type: 'THOUGHT_STREAM', envelope: '{"chunk":"a"}' },
    fact: { kind: 'thought', turnIndex: 0, role: 'developer', chunk: 'a', isFinal: false },
  } as const;
  assert.equal((await life.do(recordTrace, said)).events.length, 1);
  assert.equal((await life.do(recordTrace, said)).events.length, 0);
  assert.equal(await life.refused(recordTrace, { ...said, envelope: '{"chunk":"b"}' }), 'event_id_taken');
  assert.equal((await life.do(recordTrace, { ...said, runId: null })).events.length, 1);
  assert.equal((await life.do(recordTrace, { ...said, runId: null })).events.length, 0);
  const events = selectEventsThat(life.at.ledger.read, { ...ALL, taskId: id, types: ['trace.event_recorded'] }, PAGE);
  assert.deepEqual(
    events.map(({ runId, payload }) => [runId, payload.eventId, payload.kind]),
    [
      [run.id, EVENT_ID, 'THOUGHT_STREAM'],
      [null, EVENT_ID, 'THOUGHT_STREAM'],
    ],
  );
});
