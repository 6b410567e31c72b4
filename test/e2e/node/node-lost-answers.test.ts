import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { HeldTask } from '../../../src/api/contract.ts';
import type { TaskView } from '../../../src/api/task/task-view.ts';
import { NODE_CALL_TRIES_MAX } from '../../../src/domain/limits.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { aofExample, DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { type Fate, LossyRoad } from '../../support/node/lossy-road.ts';
import { linesOf } from '../../support/run-baton.ts';
import { TestDaemon } from '../../support/test-daemon.ts';

const scratch = scratchFolder('node-lost');
const folder = (name: string) => new DataFolder(join(scratch, name));
const firstChange =
  (fate: Fate) =>
  ({ method, changes }: { readonly method: string; readonly changes: number }): Fate =>
    method !== 'GET' && changes === 0 ? fate : 'passes';

for (const fate of ['request lost', 'answer lost'] as const) {
  test(`a command is applied once where its ${fate.replace(' ', ' is ')}`, async () => {
    const data = folder(`once ${fate}`);
    const daemon = await TestDaemon.start(data.path);
    const { client } = daemon;
    const road = await LossyRoad.before(data.path, { fateOf: firstChange(fate) });
    const made = await data.newTask('Made once');
    const [first, second, ...others] = road.changes;
    assert.deepEqual([first?.fate, second?.fate, others], [fate, 'passes', []]);
    assert.ok(first?.key && first.key === second?.key);
    const page = await client.listTasks({});
    assert.ok(!isRefusal(page));
    assert.deepEqual([page.tasks.length, page.next], [1, null]);
    assert.partialDeepStrictEqual(page.tasks[0], made);
    await daemon.end();
  });
}

test('every kind of change is applied once, though each answer is lost the first time', async () => {
  const data = folder('each');
  const daemon = await TestDaemon.start(data.path);
  const fateOf = ({ method, changes }: { readonly method: string; readonly changes: number }): Fate =>
    method !== 'GET' && changes % 2 === 0 ? 'answer lost' : 'passes';
  const road = await LossyRoad.before(data.path, { fateOf });
  const first = await data.newTask('First', '--agent', 'swe-backend');
  const second = await data.newTask('Second', '--parent', '1', '--depends-on', 'First');
  await data.json('task', 'edit', 'Second', '--title', 'Renamed');
  await data.json('task', 'depend', '1', '--on', (await data.newTask('Third')).id);
  await data.json('task', 'cancel', 'Renamed', '--reason', 'enough');
  await data.json('task', 'move', '3', 'ready');
  const held = await data.json<HeldTask>('task', 'claim', 'Third', '--agent', 'emma');
  const beaten = await data.json<HeldTask>('task', 'beat', '3', '--agent', 'emma');
  assert.deepEqual([held.run.id, held.run.fence, beaten.run.beats], [beaten.run.id, 1, 2]);
  await data.json('task', 'move', held.task.id, 'blocked');
  await data.json('task', 'retry', held.task.id);
  await data.json('task', 'claim', held.task.id, '--agent', 'emma');
  await data.json('task', 'end', held.task.id, '--agent', 'emma');
  const update = aofExample('example-4-status-update', { 'TASK-2026-02-09-060': held.task.id });
  const { verdict } = await data.send(update);
  assert.ok(verdict === 'accepted' || verdict === 'refused');
  assert.equal(road.changes.length % 2, 0);
  for (let at = 0; at < road.changes.length; at += 2) {
    const [lost, passed] = road.changes.slice(at, at + 2);
    assert.deepEqual([lost?.path, lost?.key], [passed?.path, passed?.key]);
  }
  const types = async (task: string) => (await data.eventsOf(task)).map(({ type }) => type);
  assert.equal((await types(first.id)).filter((type) => type === 'task.created').length, 1);
  assert.equal((await types(second.id)).filter((type) => type === 'task.transitioned').length, 1);
  await daemon.end();
});

test('@ means the task it meant when the command was given, also the second time', async () => {
  for (const fate of ['request lost', 'answer lost'] as const) {
    const data = folder(`last touched ${fate}`);
    const daemon = await TestDaemon.start(data.path);
    const { client } = daemon;
    const meant = await data.newTask('Meant');
    const onLoss = () => client.createTask({ title: 'Touched meanwhile' });
    const road = await LossyRoad.before(data.path, { fateOf: firstChange(fate), onLoss });
    const moved = await data.json<TaskView>('task', 'move', '@', 'ready');
    assert.deepEqual([moved.id, moved.status, road.changes.length], [meant.id, 'ready', 2]);
    await daemon.end();
  }
});

test('a command whose node is killed before it answered asks its own process for the same', async () => {
  for (const fate of ['request lost', 'answer lost'] as const) {
    const data = folder(`killed ${fate}`);
    const daemon = await TestDaemon.start(data.path);
    await LossyRoad.before(data.path, { fateOf: firstChange(fate), onLoss: () => daemon.end('SIGKILL') });
    const made = await data.newTask('Made once');
    const listed = linesOf<TaskView>(await data.run(['task', 'list', '--json']));
    assert.equal(listed.length, 1);
    assert.partialDeepStrictEqual(listed[0], made);
    assert.equal((await data.eventsOf(made.id)).length, 1);
  }
});

test('a command that only looks is asked again too; one that is never answered says so in the end', async () => {
  const data = folder('looks');
  const daemon = await TestDaemon.start(data.path);
  let isClosed = false;
  let asked = 0;
  const fateOf = (): Fate => (asked++ === 0 || isClosed ? 'answer lost' : 'passes');
  const road = await LossyRoad.before(data.path, { fateOf });
  assert.equal((await data.run(['task', 'list', '--json'])).status, 0);
  isClosed = true;
  const failed = await data.run(['task', 'new', '--title', 'Nobody answers', '--json']);
  assert.equal(failed.status, 1);
  assert.equal(linesOf<{ code: string }>(failed)[0]?.code, 'node_failed');
  assert.equal(road.changes.length, NODE_CALL_TRIES_MAX);
  await daemon.end();
});
