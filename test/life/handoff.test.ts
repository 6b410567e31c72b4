import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectHandoff } from '../../src/ledger/statements/handoffs.ts';
import { checkLedger } from '../support/ledger/check-ledger.ts';
import { reasonsOf, TaskLife, typesOf } from '../support/task/task-life.ts';

const life = await TaskLife.open();

async function family() {
  const parent = await life.claimed();
  return { parent: parent.id, run: parent.run, child: await life.inStatus('ready') };
}

function answer(child: string, accepted: boolean, more: { from?: string; run?: string; reason?: string } = {}) {
  const { reason, from = 'swe-qa', ...rest } = more;
  const payload = { taskId: child, accepted, ...(reason === undefined ? {} : { reason }) };
  return life.send(accepted ? 'handoff.accepted' : 'handoff.rejected', child, { from, ...rest, payload });
}

function handoffOf(child: string) {
  return selectHandoff(life.at.ledger.read, child);
}

test('example 5: a handoff is kept, makes the child one level deep, and moves nothing', async () => {
  const { parent, child } = await family();
  const sent = await life.handOff(child, parent, { payload: { acceptanceCriteria: ['All tests pass'] } });
  assert.deepEqual([sent.verdict, typesOf(sent)], ['accepted', ['protocol.message.received', 'delegation.requested']]);
  const task = life.task(child);
  assert.deepEqual([task.status, task.parentId, task.routing.agent], ['ready', parent, 'swe-qa']);
  assert.equal(task.metadata.delegationDepth, 1);
  assert.deepEqual([handoffOf(child)?.state, handoffOf(child)?.toAgent], ['requested', 'swe-qa']);
});

test('a handoff that is sent again writes the same and logs no second delegation.requested', async () => {
  const { parent, child } = await family();
  await life.handOff(child, parent);
  const before = [life.task(child), handoffOf(child)];
  const again = await life.handOff(child, parent);
  assert.deepEqual([again.verdict, typesOf(again)], ['accepted', ['protocol.message.received']]);
  assert.deepEqual([life.task(child), handoffOf(child)], before);
});

test('example 6: acceptance is logged once and moves nothing', async () => {
  const { parent, child } = await family();
  await life.handOff(child, parent);
  assert.deepEqual(typesOf(await answer(child, true)), ['protocol.message.received', 'delegation.accepted']);
  assert.deepEqual(typesOf(await answer(child, true)), ['protocol.message.received']);
  assert.deepEqual([life.status(child), handoffOf(child)?.state], ['ready', 'accepted']);
});

test('example 7: a rejection blocks the child with its reason, once', async () => {
  const { parent, child } = await family();
  await life.handOff(child, parent);
  const reason = 'Insufficient context: no test plan provided';
  const first = await answer(child, false, { reason });
  assert.deepEqual(typesOf(first), ['protocol.message.received', 'task.transitioned', 'delegation.rejected']);
  assert.deepEqual(
    [...reasonsOf(first, 'task.transitioned'), ...reasonsOf(first, 'delegation.rejected')],
    [reason, reason],
  );
  assert.equal(life.status(child), 'blocked');
  assert.deepEqual(typesOf(await answer(child, false, { reason })), ['protocol.message.received']);
});

test('only the agent it was sent to, or the operator, answers a handoff', async () => {
  const { parent, child } = await family();
  await life.handOff(child, parent);
  for (const accepted of [true, false]) {
    const stranger = await answer(child, accepted, { from: 'swe-backend' });
    assert.deepEqual(reasonsOf(stranger, 'protocol.message.rejected'), ['unauthorized_agent']);
  }
  assert.deepEqual([life.status(child), handoffOf(child)?.state], ['ready', 'requested']);
  assert.equal((await answer(child, true, { from: 'operator' })).verdict, 'accepted');
});

test('only the holder of the parent hands down', async () => {
  const { parent, child } = await family();
  const sent = await life.handOff(child, parent, { from: 'swe-qa' });
  assert.deepEqual([sent.verdict, sent.code], ['refused', 'unauthorized_agent']);
  assert.equal(handoffOf(child), null);
});

test('a handoff of an old run of the parent is rejected as stale_run, and so is an answer of an old run', async () => {
  const { parent, run, child } = await family();
  await life.end(parent);
  const now = await life.claim(parent);
  const stale = await life.handOff(child, parent, { run: run.id });
  assert.deepEqual([stale.code, handoffOf(child)], ['stale_run', null]);
  assert.equal((await life.handOff(child, parent, { run: now.id })).verdict, 'accepted');
  assert.equal((await answer(child, true, { run: 'run_before' })).code, 'stale_run');
  assert.equal(handoffOf(child)?.state, 'requested');
});

test('a handoff beats the heart of the parent', async () => {
  const { parent, child } = await family();
  life.at.clock.step(299_000);
  await life.handOff(child, parent);
  life.at.clock.step(299_000);
  await life.sweep();
  assert.equal(life.status(parent), 'in-progress');
});

test('a child that does not exist: message and delegation are rejected', async () => {
  const { parent } = await family();
  const sent = await life.handOff('TASK-2020-01-01-001', parent);
  assert.equal(sent.code, 'task_not_found');
  assert.deepEqual(reasonsOf(sent, 'protocol.message.rejected'), ['task_not_found']);
  assert.deepEqual(reasonsOf(sent, 'delegation.rejected'), ['task_not_found']);
});

test('a parent that does not exist: the delegation is rejected', async () => {
  const { child } = await family();
  const sent = await life.handOff(child, 'TASK-2020-01-01-001');
  assert.deepEqual([sent.code, reasonsOf(sent, 'delegation.rejected')], ['parent_not_found', ['parent_not_found']]);
});

test('a payload about another task: the message is rejected as taskId_mismatch', async () => {
  const { parent, child } = await family();
  const sent = await life.handOff(child, parent, { payload: { taskId: 'TASK-2020-01-01-001' } });
  assert.deepEqual([sent.code, reasonsOf(sent, 'protocol.message.rejected')], ['taskId_mismatch', ['taskId_mismatch']]);
  assert.equal(handoffOf(child), null);
});

test('acceptance criteria that are no texts are dropped with a warning, and the handoff proceeds', async () => {
  const { parent, child } = await family();
  const sent = await life.handOff(child, parent, { payload: { acceptanceCriteria: ['good', 7] } });
  assert.equal(sent.verdict, 'accepted');
  assert.ok(reasonsOf(sent, 'protocol.message.warning').includes('invalid_acceptance_criteria'));
  assert.deepEqual(JSON.parse(handoffOf(child)?.request ?? '').acceptanceCriteria, ['good']);
});

test('a task that was handed down hands nothing down, in whatever order the two come, also after a reopening', async () => {
  const { parent, child } = await family();
  const grandchild = await life.inStatus('ready');
  await life.handOff(child, parent);
  await life.claim(child, 'swe-qa');
  life.at.reopen();
  const nested = await life.handOff(grandchild, child, { from: 'swe-qa', to: 'swe-docs' });
  assert.deepEqual(
    [nested.code, reasonsOf(nested, 'delegation.rejected')],
    ['nested_delegation', ['nested_delegation']],
  );
  const middle = await life.claimed();
  await life.handOff(grandchild, middle.id);
  const late = await life.handOff(middle.id, parent);
  assert.deepEqual([late.code, handoffOf(middle.id)], ['nested_delegation', null]);
});

test('a task is not handed to itself', async () => {
  const { parent } = await family();
  assert.equal((await life.handOff(parent, parent)).code, 'nested_delegation');
});

test('a subtask made by hand is no delegation', async () => {
  const { parent } = await family();
  const child = await life.create({ parentId: parent });
  const grandchild = await life.create({ parentId: child });
  assert.equal(life.task(grandchild).metadata.delegationDepth, undefined);
});

test('after all this the log replays to the very same state', () => {
  assert.deepEqual(checkLedger(life.at.ledger.database), []);
});
