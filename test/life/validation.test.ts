import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastSeq } from '../../src/ledger/statements/events.ts';
import { selectMeta } from '../../src/ledger/statements/meta.ts';
import { completion, reasonsOf, SENT_AT, TaskLife, typesOf } from '../support/task/task-life.ts';

const life = await TaskLife.open();

function envelope(taskId: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  const route = { taskId, fromAgent: 'swe-backend', toAgent: 'dispatcher', sentAt: SENT_AT };
  return { protocol: 'aof', version: 1, type: 'completion.report', ...route, payload: completion('done'), ...more };
}

test('a message is found with and without the AOF/1 prefix', async () => {
  for (const prefix of ['', 'AOF/1 ']) {
    const { id } = await life.claimed();
    const answer = await life.sendText(`${prefix}${JSON.stringify(envelope(id))}`);
    assert.deepEqual([answer.verdict, life.runs(id)[0]?.result?.outcome], ['accepted', 'done']);
  }
});

for (const text of ['AOF/1 {"protocol":"aof",', 'AOF/1 hello', '{"protocol":"aof","version":1,', '[1,']) {
  test(`text that should be JSON and is not, ${JSON.stringify(text)}, is logged as invalid_json`, async () => {
    const answer = await life.sendText(text);
    assert.deepEqual([answer.verdict, answer.code], ['malformed', 'invalid_json']);
    assert.deepEqual(reasonsOf(answer, 'protocol.message.rejected'), ['invalid_json']);
  });
}

test('text of nobody is foreign and leaves no event at all', async () => {
  const before = lastSeq(life.at.ledger.read);
  for (const text of ['hello', '{"a":1}', '{"protocol":"xmpp","version":1}', '[]', 'aof/1 {}']) {
    assert.equal((await life.sendText(text)).verdict, 'foreign', text);
  }
  assert.equal(lastSeq(life.at.ledger.read), before);
});

test('an unknown type is logged as unknown, whatever else is wrong', async () => {
  const { id } = await life.claimed();
  const answer = await life.sendText(JSON.stringify(envelope(id, { type: 'task.sing', version: 9 })));
  assert.deepEqual([answer.verdict, answer.code], ['malformed', 'unknown_type']);
  assert.deepEqual(typesOf(answer), ['protocol.message.unknown']);
  assert.deepEqual(answer.events[0]?.payload, { type: 'task.sing' });
});

for (const [what, more] of Object.entries({
  'another version': { version: 2 },
  'a task name that is none': { taskId: 'TASK-1' },
  'no sender': { fromAgent: '' },
  'no receiver': { toAgent: '' },
  'a time that is none': { sentAt: 'yesterday' },
  'no payload': { payload: 7 },
})) {
  test(`a known type with ${what} is logged as invalid_envelope and changes nothing`, async () => {
    const { id } = await life.claimed();
    const answer = await life.sendText(JSON.stringify(envelope(id, more)));
    assert.deepEqual([answer.verdict, answer.code], ['malformed', 'invalid_envelope']);
    assert.deepEqual(reasonsOf(answer, 'protocol.message.rejected'), ['invalid_envelope']);
    assert.equal(life.runs(id)[0]?.result, null);
  });
}

test('a message for another project is rejected, one for this project is heard', async () => {
  const { id } = await life.claimed();
  const other = await life.report(id, 'done', { projectId: 'prj_other' });
  assert.deepEqual(
    [other.code, reasonsOf(other, 'protocol.message.rejected')],
    ['project_mismatch', ['project_mismatch']],
  );
  assert.equal(life.runs(id)[0]?.result, null);
  const projectId = selectMeta(life.at.ledger.read, 'project') ?? '';
  assert.equal((await life.report(id, 'done', { projectId })).verdict, 'accepted');
});

test('every message that is heard is logged as received, with its actor and its task', async () => {
  const { id } = await life.claimed();
  const [event] = (await life.report(id, 'done')).events;
  assert.deepEqual(
    [event?.type, event?.actor, event?.taskId, event?.payload],
    ['protocol.message.received', 'swe-backend', id, { type: 'completion.report', toAgent: 'dispatcher' }],
  );
});

test('after messages that cannot be read the next one is heard', async () => {
  const { id } = await life.claimed();
  const bad = ['AOF/1 {', JSON.stringify(envelope(id, { version: 2 })), JSON.stringify(envelope(id, { type: 'x' }))];
  for (const text of bad) assert.equal((await life.sendText(text)).verdict, 'malformed');
  assert.equal((await life.sendText(JSON.stringify(envelope(id)))).verdict, 'accepted');
  assert.equal(life.runs(id)[0]?.result?.outcome, 'done');
});
