import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TaskView } from '../../../src/api/task/task-view.ts';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { taken } from '../../support/taken.ts';
import { TestDaemon } from '../../support/test-daemon.ts';
import { TestRepository } from '../../support/test-repository.ts';

const scratch = scratchFolder('last-named');

async function meant(data: DataFolder, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const run = await data.run(['task', 'show', '@', '--json'], { environment });
  assert.equal(run.status, 0, run.stderr);
  return (JSON.parse(run.stdout) as TaskView).id;
}

test('@ is the task that this person named or started last, whatever others change meanwhile', async () => {
  const data = new DataFolder(join(scratch, 'named'));
  const first = await data.newTask('First');
  const second = await data.newTask('Second');
  assert.equal(await meant(data), second.id);
  // Each way to name a task: whole, by number, by a word, by a flag, in a command that only looks or is refused.
  const ways: readonly (readonly string[])[] = [
    ['task', 'show', first.id],
    ['task', 'move', '2', 'ready'],
    ['events', '--task', 'First'],
    ['task', 'show', second.uid],
    ['undo', '1'],
    ['task', 'depend', '2', '1'],
    ['stop', '1'],
  ];
  for (const [at, way] of ways.entries()) {
    await data.run(way);
    assert.equal(await meant(data), at % 2 === 0 ? first.id : second.id, way.join(' '));
  }
  const daemon = await TestDaemon.start(data.path);
  const others = taken(await daemon.client.createTask({ title: 'Of another client' }));
  taken(await daemon.client.editTask({ task: second.id, priority: 'high' }));
  assert.equal(await meant(data), first.id);
  await data.run(['task', 'show', 'no such task']);
  await data.run(['task', 'show', 'TASK-2020-01-01-001']);
  await data.run(['status']);
  await data.run(['stop', '--all']);
  assert.equal(await meant(data), first.id);
  await data.run(['task', 'cancel', '1', others.id]);
  assert.equal(await meant(data), others.id);
  await daemon.end();
});

test('without a named task, @ is the newest one, and the command says which', async () => {
  const data = new DataFolder(join(scratch, 'newest'));
  const daemon = await TestDaemon.start(data.path);
  const { client } = daemon;
  const first = taken(await client.createTask({ title: 'First' }));
  const second = taken(await client.createTask({ title: 'Second' }));
  taken(await client.editTask({ task: first.id, priority: 'high' }));
  const shown = await data.run(['task', 'show', '@']);
  assert.equal(shown.status, 0, shown.stderr);
  assert.match(shown.stderr, new RegExp(`^@ is ${second.id} {2}Second: the newest task, as none was named here`, 'm'));
  assert.equal((await data.run(['task', 'show', '@'])).stderr, '');
  await daemon.end();
});

test('each data folder has its own, and the commands of an agent count for none', async () => {
  const [here, there] = ['here', 'there'].map((name) => new DataFolder(join(scratch, name))) as [
    DataFolder,
    DataFolder,
  ];
  const mine = await here.newTask('Mine');
  const other = await here.newTask('Other');
  await here.run(['task', 'show', mine.id]);
  await there.newTask('There');
  const agent = { BATON_RUN: 'run_01KGQ7M3XVN5Y8T2B4C6D8F0G1' };
  assert.equal(await meant(here), mine.id);
  await here.run(['task', 'show', other.id], { environment: agent });
  await here.run(['task', 'new', 'By an agent'], { environment: agent });
  assert.equal(await meant(here), mine.id);
});

test('it is kept outside of the data folder; where it cannot be kept, the command works all the same', async () => {
  const data = new DataFolder(join(scratch, 'outside'));
  const made = await data.newTask('Kept');
  const before = readdirSync(data.path, { recursive: true }).sort();
  assert.equal((await data.run(['task', 'show', made.id])).status, 0);
  assert.deepEqual(readdirSync(data.path, { recursive: true }).sort(), before);
  const state = join(scratch, 'state');
  mkdirSync(join(state, 'baton'), { recursive: true });
  writeFileSync(join(state, 'baton', 'named'), 'not a folder');
  const elsewhere = new DataFolder(join(scratch, 'elsewhere'));
  for (const words of [
    ['task', 'new', 'One'],
    ['task', 'show', '1'],
    ['task', 'show', '@'],
  ]) {
    const run = await elsewhere.run(words, { environment: { XDG_STATE_HOME: state } });
    assert.equal(run.status, 0, run.stderr);
  }
});

test('@ is the task that goes on with one that is done', async () => {
  const { root } = new TestRepository();
  const data = new DataFolder(join(scratch, 'goes-on'));
  const words = ['run', '@demo append work.txt x', '--agent', 'demo', '--workspace', root, '--yes'];
  assert.equal((await data.run([...words, '--check', 'ls work.txt'])).status, 0);
  const first = await meant(data);
  assert.equal((await data.run(['continue', '@', '--yes'])).status, 0);
  assert.notEqual(await meant(data), first);
});
