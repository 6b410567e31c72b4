import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { taken } from '../support/taken.ts';
import { completedText, eventText, invokedText, turnText } from '../support/trace/saop-messages.ts';
import { TracedRuns } from '../support/trace/traced-runs.ts';

const runs = await TracedRuns.open();
const { local: client } = runs.server;

describe('a message that contradicts those before it', () => {
  test('is refused with a reason, and changes nothing', async () => {
    const { id, told, send } = await runs.claimed();
    await told(turnText(id, 0), invokedText('c1'), completedText('c1'));
    const before = await runs.traceOf(id);
    const event = eventText({ type: 'SANDBOX_PULSE', line: 'a', masked: false, timestamp: '2026-02-09T21:00:00Z' });
    await told(event);
    const refused: readonly (readonly [string, string, string])[] = [
      [turnText(id, 0, { thought: 'other' }), 'turn_index_taken', '/turn_index'],
      [turnText(id, 1, { confidence: 1.01 }), 'invalid_turn', '/metadata/confidence'],
      [completedText('never'), 'call_not_open', '/payload/call_id'],
      [completedText('c1'), 'call_not_open', '/payload/call_id'],
      [completedText('c1', 'success', -1), 'invalid_event', '/payload/duration_ms'],
      [invokedText('c1'), 'call_id_taken', '/payload/call_id'],
      [event.replace('"line":"a"', '"line":"b"'), 'event_id_taken', '/event_id'],
      [turnText('TASK-2020-01-01-001', 0), 'task_not_found', ''],
    ];
    for (const [text, code, path] of refused) {
      const answer = await send(text);
      assert.deepEqual([answer.code, answer.errors[0]?.path], [code, path], text);
      assert.ok(answer.hint && answer.errors[0]?.message);
    }
    assert.deepEqual((await runs.traceOf(id)).slice(0, -1), before);
  });
});

describe('a run that goes nowhere', () => {
  async function found(task: string) {
    const { events } = taken(await client.listEvents({ task, type: 'trace.entropy_detected' }));
    return events.map(({ actor, payload }) => [actor, payload.rule, payload.action]);
  }

  test('is asked for another approach when it observes the same three times', async () => {
    const { id, told } = await runs.claimed();
    const observation = 'no such file';
    const counts: number[] = [];
    for (const index of [0, 1, 2, 3]) {
      await told(turnText(id, index, { observation }));
      counts.push((await found(id)).length);
    }
    assert.deepEqual(counts, [0, 0, 1, 1], 'with the third, and once');
    assert.deepEqual(await found(id), [['dispatcher', 'repetition', 'pivot']]);
    const { events } = taken(await client.listEvents({ task: id, type: 'words.said' }));
    assert.deepEqual(
      events.map(({ actor, payload }) => [actor, /another approach/.test(String(payload.text))]),
      [['dispatcher', true]],
    );
  });

  test('rises in priority when its confidence falls, with the figures as evidence', async () => {
    const { id, told } = await runs.claimed();
    for (const [index, confidence] of [0.8, 0.7, 0.6, 0.45, 0.4].entries())
      await told(turnText(id, index, { confidence }));
    assert.deepEqual(await found(id), [['dispatcher', 'confidence', 'escalate']]);
    const { events } = taken(await client.listEvents({ task: id, type: 'trace.entropy_detected' }));
    assert.deepEqual(events[0]?.payload.confidence, [0.8, 0.7, 0.6, 0.45]);
    const task = taken(await client.showTask({ task: id }));
    assert.deepEqual([task.priority, task.status], ['high', 'in-progress']);
  });

  test('waits for a person after five failed turns in a row', async () => {
    const { id, told, run } = await runs.claimed();
    for (const index of [0, 1, 2, 3, 4]) {
      assert.deepEqual(await found(id), [], `after ${index} failed turns`);
      await told(turnText(id, index), invokedText(`c${index}`), completedText(`c${index}`, 'failure'));
    }
    assert.deepEqual(await found(id), [['dispatcher', 'failures', 'pause']]);
    const task = taken(await client.showTask({ task: id }));
    assert.deepEqual([task.status, task.reason, task.runId], ['blocked', '5 turns in a row failed', null]);
    assert.equal(task.runs.find(({ id: runId }) => runId === run.id)?.status, 'abandoned');
  });
});
