import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestLedger, suiteScratch } from '../../test/support/test-ledger.ts';
import { filesBelow, TestTree } from '../../test/support/tree/test-tree.ts';

/** The files that a rebuild of the same ledger writes into an empty folder. */
async function rebuiltElsewhere(tree: TestTree): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(suiteScratch(), 'elsewhere-'));
  tree.life.at.ledger.database.prepare('VACUUM INTO ?').run(join(folder, 'ledger.sqlite'));
  const other = new TestTree(openTestLedger(folder));
  await other.mirror.rebuild();
  await other.mirror.stop();
  return filesBelow(other.root);
}

test('a file where a folder belongs opens one incident, fails no command, and heals', async () => {
  const tree = TestTree.started();
  await tree.mirror.settled();
  rmSync(tree.path('tasks/ready'), { recursive: true });
  tree.write('tasks/ready', 'in the way');
  const ids = [await tree.life.inStatus('ready'), await tree.life.inStatus('ready')];
  const other = await tree.life.inStatus('blocked');
  await tree.mirror.settled();
  assert.deepEqual(tree.incidents(), ['mirror_enotdir']);
  assert.equal(tree.text('tasks/ready'), 'in the way');
  assert.ok(tree.has(`tasks/blocked/${other}.md`));
  assert.equal(tree.behind(), 2);
  rmSync(tree.path('tasks/ready'));
  tree.timer.fire();
  await tree.drain();
  for (const id of ids) assert.ok(tree.has(`tasks/ready/${id}.md`));
  assert.deepEqual(tree.incidents(), []);
  assert.equal(tree.behind(), 0);
  const told = tree.events().filter(({ type }) => type.startsWith('incident.'));
  assert.deepEqual(
    told.map(({ type, payload }) => [type, payload.kind]),
    [
      ['incident.opened', 'mirror_enotdir'],
      ['incident.closed', 'mirror_enotdir'],
    ],
  );
  await tree.mirror.stop();
});

test('what cannot be written is tried again, each time later, up to a bound', async () => {
  const tree = TestTree.started();
  await tree.mirror.settled();
  renameSync(tree.path('tasks'), tree.path('tasks-away'));
  tree.write('tasks', '');
  await tree.life.create();
  const waits: number[] = [];
  for (let attempt = 0; attempt < 9; attempt++) {
    await tree.mirror.settled();
    await tree.timer.breathe();
    waits.push(...tree.timer.waits);
    tree.timer.fire();
    await tree.mirror.settled();
  }
  assert.deepEqual(waits.slice(0, 8), [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  rmSync(tree.path('tasks'));
  await tree.drain();
  assert.equal(tree.behind(), 0);
  await tree.mirror.stop();
});

test('an incident of a process that is gone is closed by the one that heals it', async () => {
  const tree = TestTree.started();
  await tree.mirror.settled();
  rmSync(tree.path('tasks/backlog'), { recursive: true });
  tree.write('tasks/backlog', '');
  await tree.life.create();
  await tree.mirror.settled();
  assert.deepEqual(tree.incidents(), ['mirror_enotdir']);
  rmSync(tree.path('tasks/backlog'));
  await tree.restart();
  assert.deepEqual(tree.incidents(), []);
  assert.equal(readdirSync(tree.path('tasks/backlog')).length, 1);
  await tree.mirror.stop();
});

test('folders that were removed are made anew', async () => {
  const tree = TestTree.started();
  const { id } = await tree.life.claimed();
  await tree.mirror.settled();
  for (const folder of ['tasks', 'runs', 'events']) rmSync(tree.path(folder), { recursive: true });
  await tree.life.beat(id);
  await tree.mirror.settled();
  assert.ok(tree.has('tasks/in-progress'));
  assert.ok(tree.has(`runs/${id}/run_heartbeat.json`));
  assert.deepEqual(tree.incidents(), []);
  await tree.mirror.rebuild();
  assert.deepEqual(filesBelow(tree.root), await rebuiltElsewhere(tree));
  await tree.mirror.stop();
});

test('a file that a person edited is kept beside the new one, also when its task moves', async () => {
  const tree = TestTree.started();
  const id = await tree.life.create();
  await tree.mirror.settled();
  tree.write(`tasks/backlog/${id}.md`, 'mine\n');
  await tree.life.move(id, 'ready');
  await tree.mirror.settled();
  assert.equal(tree.text(`tasks/ready/${id}.rejected.md`), 'mine\n');
  tree.write(`tasks/ready/${id}.md`, 'mine again\n');
  await tree.life.update(id, { progress: 'half' });
  await tree.mirror.settled();
  assert.equal(tree.text(`tasks/ready/${id}.rejected-2.md`), 'mine again\n');
  assert.match(tree.text(`tasks/ready/${id}.md`), /## Work Log/);
  await tree.drain();
  const kept = tree.events().filter(({ payload }) => payload.kind === 'edit_set_aside');
  assert.deepEqual(
    kept.map(({ taskId, payload }) => [taskId, payload.detail]),
    [
      [id, `tasks/ready/${id}.md was not written by Baton; it is kept as tasks/ready/${id}.rejected.md`],
      [id, `tasks/ready/${id}.md was not written by Baton; it is kept as tasks/ready/${id}.rejected-2.md`],
    ],
  );
  await tree.mirror.stop();
});

test('a file that stands where a new task will lie is kept', async () => {
  const tree = TestTree.started();
  await tree.mirror.settled();
  tree.write('tasks/backlog/TASK-2026-02-09-001.md', 'written by hand\n');
  const id = await tree.life.create();
  await tree.mirror.settled();
  assert.equal(tree.text(`tasks/backlog/${id}.rejected.md`), 'written by hand\n');
  assert.match(tree.text(`tasks/backlog/${id}.md`), /^---\nschemaVersion: 1\n/);
  await tree.mirror.stop();
});

test('a link is never followed, neither for a file nor for a folder', async () => {
  const tree = TestTree.started();
  const id = await tree.life.create();
  await tree.mirror.settled();
  const outside = mkdtempSync(join(tmpdir(), 'baton-outside-'));
  tree.write('outside.md', 'not yours\n');
  rmSync(tree.path(`tasks/backlog/${id}.md`));
  symlinkSync(tree.path('outside.md'), tree.path(`tasks/backlog/${id}.md`));
  await tree.life.update(id, { progress: 'half' });
  await tree.mirror.settled();
  assert.equal(tree.text('outside.md'), 'not yours\n');
  assert.match(tree.text(`tasks/backlog/${id}.md`), /## Work Log/);
  rmSync(tree.path('tasks/ready'), { recursive: true });
  symlinkSync(outside, tree.path('tasks/ready'));
  await tree.life.move(id, 'ready');
  await tree.mirror.settled();
  assert.deepEqual(readdirSync(outside), []);
  assert.deepEqual(tree.incidents(), ['edit_set_aside', 'mirror_symlink']);
  rmSync(tree.path('tasks/ready'));
  await tree.drain();
  assert.ok(tree.has(`tasks/ready/${id}.md`));
  assert.deepEqual(tree.incidents(), ['edit_set_aside']);
  await tree.mirror.stop();
  rmSync(outside, { recursive: true });
});

test('a full disk opens an incident, fails no command, leaves nothing half written, and heals', async (context) => {
  const small = mkdtempSync(join(tmpdir(), 'baton-small-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small]);
  if (mounted.status !== 0) {
    rmSync(small, { recursive: true });
    context.skip(`no small disk can be mounted here: ${String(mounted.stderr).trim()}`);
    return;
  }
  const mounts = [small];
  try {
    const tree = TestTree.started();
    await tree.mirror.settled();
    for (const folder of ['tasks', 'runs', 'events']) {
      rmSync(tree.path(folder), { recursive: true });
      mkdirSync(join(small, folder));
    }
    // Bound, not linked: the tree follows no links.
    for (const folder of ['tasks', 'runs']) {
      mkdirSync(tree.path(folder));
      assert.equal(spawnSync('mount', ['--bind', join(small, folder), tree.path(folder)]).status, 0);
      mounts.unshift(tree.path(folder));
    }
    const large = await tree.life.create({ body: 'x'.repeat(200_000) });
    const little = await tree.life.create();
    await tree.mirror.settled();
    assert.deepEqual(tree.incidents(), ['mirror_enospc']);
    assert.ok(tree.has(`tasks/backlog/${little}.md`));
    assert.deepEqual(
      Object.keys(filesBelow(tree.root)).filter((path) => path.endsWith('.tmp') || path.includes(large)),
      [],
    );
    assert.equal(spawnSync('mount', ['-o', 'remount,size=4m', small]).status, 0);
    tree.timer.fire();
    await tree.mirror.settled();
    assert.ok(tree.has(`tasks/backlog/${large}.md`));
    assert.deepEqual(tree.incidents(), []);
    await tree.mirror.stop();
  } finally {
    for (const mount of mounts) spawnSync('umount', [mount]);
    rmSync(small, { recursive: true, force: true });
  }
});

test('a rebuild puts everything right and keeps what people put there', async () => {
  const tree = TestTree.started();
  const { id: parent } = await tree.life.claimed();
  const id = await tree.life.inStatus('ready');
  await tree.life.handOff(id, parent);
  await tree.life.end(parent);
  await tree.life.claim(parent);
  await tree.mirror.settled();
  tree.write(`tasks/ready/${id}/outputs/summary.md`, 'kept\n');
  const before = filesBelow(tree.root);
  rmSync(tree.path('runs'), { recursive: true });
  rmSync(tree.path(`tasks/in-progress/${parent}.md`));
  tree.write(`tasks/ready/${id}/inputs/handoff.json`, '{}');
  renameSync(tree.path(`tasks/ready/${id}`), tree.path(`tasks/review/${id}`));
  tree.write(`tasks/done/${id}.md`, 'a second one\n');
  tree.write(`tasks/done/${id}.txt`, 'not of a task\n');
  const [day] = readdirSync(tree.path('events'));
  tree.write(`events/${day}`, 'gone\n');
  const { tasks, failed } = await tree.mirror.rebuild();
  assert.deepEqual({ tasks, failed }, { tasks: 2, failed: 0 });
  await tree.drain();
  const { [`events/${day}`]: log, ...after } = filesBelow(tree.root);
  assert.ok(log?.startsWith(before[`events/${day}`] ?? '-'));
  assert.deepEqual(after, {
    ...Object.fromEntries(Object.entries(before).filter(([path]) => path !== `events/${day}`)),
    [`tasks/ready/${id}/inputs/handoff.rejected.json`]: '{}',
    [`tasks/ready/${id}.rejected.md`]: 'a second one\n',
    [`tasks/done/${id}.txt`]: 'not of a task\n',
    [`events/${day?.replace('.jsonl', '.rejected.jsonl')}`]: 'gone\n',
  });
  assert.equal(
    (await rebuiltElsewhere(tree))[`runs/${parent}/attempts/1/run.json`],
    after[`runs/${parent}/attempts/1/run.json`],
  );
  await tree.mirror.stop();
});
