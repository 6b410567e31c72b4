import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { aofExample, DataFolder, scratchFolder } from '../../support/data-folder.ts';
import type { BatonRun } from '../../support/run-baton.ts';
import { TestDaemon } from '../../support/test-daemon.ts';

const scratch = scratchFolder('node-same');

/** Every kind of command, in an order in which each has something to do; a task is named by its number. */
const CALLS: readonly string[] = [
  'status',
  // Nobody is named: a node that stays would have it leave the backlog by itself (aof:dispatch).
  'task new --title First --priority high --tag a --tag b',
  'task new --title Second --body text --no-review',
  'task new --title Third --parent 1 --depends-on 2',
  'task list',
  'task list review',
  'task list --limit 1',
  'task show 1',
  'task show nothing-like-it',
  'task show .',
  'task show ..',
  'task edit 1 --title Renamed --priority low',
  'task move 1 ready --reason because',
  'task move 1 done',
  'task move 1 backlog --key same',
  'task move 1 backlog --key same',
  'task move 2 ready --key same',
  'task depend 2 --on 1',
  'task depend 1 --on 2',
  'task claim 1 --agent emma',
  'task claim 1 --agent bob',
  'task beat 1 --agent emma',
  'task beat 1 --agent emma --run run_nobody',
  'task end 1 --agent emma',
  'task cancel 3 --reason enough',
  'task retry 1',
  'task list --all',
  'status',
  'events',
  'events --task 1',
  'events --since 4',
  'events --task 99',
  'rebuild --from ledger',
  'backup BACKUP',
  'backup BACKUP',
];

/** Replaces values that differ between two runs of the same calls. */
function settled(run: BatonRun): readonly unknown[] {
  const same = (text: string) =>
    text
      .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'INSTANT')
      .replaceAll(/\b(tsk|run|evt|inc)_[0-9A-Za-z-]+/g, '$1_ID')
      .replaceAll(/"event_id":"[0-9a-f-]{36}"/g, '"event_id":"UUID"')
      .replaceAll(/"[0-9a-f]{64}"/g, '"HASH"')
      .replaceAll(/"bytes":\d+/g, '"bytes":0')
      .replaceAll(new RegExp(`${scratch}/(with|without)\\b`, 'g'), 'DATA');
  return [run.status, same(run.stdout).split('\n'), same(run.stderr)];
}

async function play(data: DataFolder): Promise<(readonly unknown[])[]> {
  const answers: (readonly unknown[])[] = [];
  for (const call of CALLS) {
    const args = call.split(' ').map((word) => (word === 'BACKUP' ? `${data.path}.bak` : word));
    answers.push([call, ...settled(await data.run([...args, '--json']))]);
  }
  const example = aofExample('example-1-completion-report', {});
  for (const input of [JSON.stringify(example), 'AOF/1 {}', '{', '{"aop_version":"2.0.2"}', 'hello'])
    answers.push([input, ...settled(await data.run(['send', '-', '--json'], { input: [input] }))]);
  return answers;
}

test('every command gives the same JSON and exit code through a node and without one', async () => {
  const [without, withNode] = [new DataFolder(join(scratch, 'without')), new DataFolder(join(scratch, 'with'))];
  for (const data of [without, withNode]) await data.run(['init']);
  const daemon = await TestDaemon.start(withNode.path);
  const [alone, through] = await Promise.all([play(without), play(withNode)]);
  assert.equal(daemon.child.exitCode, null);
  await daemon.end();
  for (const [at, answer] of alone.entries()) assert.deepEqual(through[at], answer);
});

test('commands that come while a node stops are answered all the same', async () => {
  const data = new DataFolder(join(scratch, 'stopping'));
  const daemon = await TestDaemon.start(data.path);
  const made = Array.from({ length: 6 }, (_, at) => data.newTask(`While it stops ${at}`));
  await Promise.race(made);
  const [ended, ...tasks] = await Promise.all([daemon.end(), ...made]);
  assert.equal(ended.status, 0);
  assert.equal(new Set(tasks.map(({ id }) => id)).size, 6);
});

test('a backup has the files of every change that was answered before it', async () => {
  const data = new DataFolder(join(scratch, 'at-once'));
  const daemon = await TestDaemon.start(data.path);
  const { client } = daemon;
  const claimed = Array.from({ length: 20 }, async (_, at) => {
    const task = await client.createTask({ title: `Claimed ${at}` });
    assert.ok(!isRefusal(task));
    assert.ok(!isRefusal(await client.claimTask({ task: task.id, agent: 'emma' })));
  });
  await Promise.all(claimed);
  const saved = await client.backup({ file: `${data.path}.bak` });
  assert.ok(!isRefusal(saved));
  // run.json and run_heartbeat.json of each.
  assert.equal(saved.files, 2 * claimed.length);
  await daemon.end();
});
