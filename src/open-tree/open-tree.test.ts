import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TestOpenTree } from '../../test/support/tree/test-open-tree.ts';
import { filesBelow } from '../../test/support/tree/test-tree.ts';
import { HEARTBEAT_TTL_MS, TREE_HINTS_MAX, TREE_QUIET_MS, TREE_SCAN_MS, TREE_UNREADABLE_MS } from '../domain/limits.ts';
import type { TaskName } from '../domain/task/task.ts';

const CLOSE_TREE = fileURLToPath(new URL('../../test/support/tree/close-tree.ts', import.meta.url));

const RESULT = {
  agentId: 'swe-backend',
  completedAt: '2026-02-09T21:10:00.000Z',
  outcome: 'done',
  summaryRef: 'outputs/summary.md',
  deliverables: ['src/foo.ts'],
  tests: { total: 4, passed: 4, failed: 0 },
  blockers: [],
  notes: 'All done.',
};

interface ClaimedTask {
  readonly tree: TestOpenTree;
  readonly id: TaskName;
  readonly path: string;
}

async function claimed(): Promise<ClaimedTask> {
  const tree = TestOpenTree.started();
  const { id } = await tree.life.claimed();
  await tree.look();
  return { tree, id, path: `runs/${id}/run_result.json` };
}

test('a result that an agent writes itself is its completion.report', async () => {
  const { tree, id, path } = await claimed();
  const { lastSeq } = tree;
  tree.type(path, JSON.stringify({ taskId: id, ...RESULT }));
  await tree.open.reconcileRun(id);
  assert.deepEqual(
    tree.happened(lastSeq).filter((each) => !each.includes('warning')),
    ['protocol.message.received by swe-backend', 'task.completed by swe-backend'],
  );
  await tree.life.end(id);
  await tree.look();
  assert.equal(tree.life.status(id), 'review');
  assert.equal(tree.json(path).notes, 'All done.');
  assert.equal(tree.has(`runs/${id}/run_result.rejected.json`), false);
  await tree.stop();
});

test('a result without its summary file is logged with a warning, as one that is sent', async () => {
  const { tree, id, path } = await claimed();
  const { lastSeq } = tree;
  tree.type(path, JSON.stringify({ taskId: id, ...RESULT }));
  await tree.open.reconcileRun(id);
  assert.equal(tree.happened(lastSeq).filter((each) => each.includes('warning')).length, 1);
  await tree.stop();
});

test('a result with its summary and handoff files is logged without a warning', async () => {
  const { tree, id, path } = await claimed();
  const { lastSeq } = tree;
  tree.type(`tasks/in-progress/${id}/${RESULT.summaryRef}`, 'All done.');
  tree.type(`tasks/in-progress/${id}/outputs/handoff.md`, 'To you.');
  tree.type(path, JSON.stringify({ taskId: id, ...RESULT }));
  await tree.open.reconcileRun(id);
  assert.equal(tree.happened(lastSeq).filter((each) => each.includes('warning')).length, 0);
  await tree.stop();
});

test('results of all live runs are taken before anybody is recovered', async () => {
  const { tree, id, path } = await claimed();
  tree.type(path, JSON.stringify({ taskId: id, ...RESULT }));
  await tree.open.reconcileRuns();
  tree.life.at.clock.step(HEARTBEAT_TTL_MS);
  await tree.life.sweep();
  assert.equal(tree.life.status(id), 'review');
  await tree.stop();
});

test('a task that the mirror holds back is judged also where nobody watches', async () => {
  const tree = TestOpenTree.started();
  const id = await tree.life.inStatus('ready', { body: 'Do it.\n' });
  await tree.look();
  tree.edit(`tasks/ready/${id}.md`, 'Do it', 'Did it');
  await tree.life.move(id, 'blocked');
  let isShown = false;
  void tree.mirror.settled([id]).then(() => {
    isShown = true;
  });
  for (let turn = 0; turn < 1_000 && !isShown; turn++) {
    await tree.timer.breathe();
    tree.life.at.clock.step(TREE_QUIET_MS);
  }
  assert.match(tree.text(`tasks/blocked/${id}.md`), /Did it/);
  await tree.stop();
});

const INVALID: readonly (readonly [string, (id: TaskName) => string])[] = [
  ['no JSON', () => '{"taskId": '],
  ['another task', () => JSON.stringify({ taskId: 'TASK-2026-02-09-999', ...RESULT })],
  ['a wrong outcome', (id) => JSON.stringify({ taskId: id, ...RESULT, outcome: 'finished' })],
];

for (const [name, textOf] of INVALID) {
  test(`a result that is not valid (${name}) is rejected once and kept beside`, async () => {
    const { tree, id, path } = await claimed();
    const { lastSeq } = tree;
    tree.type(path, textOf(id));
    await tree.look();
    await tree.look();
    assert.deepEqual(tree.happened(lastSeq), ['protocol.message.rejected by filesystem']);
    const { taskId, payload } = tree.eventAfter(lastSeq);
    assert.deepEqual([taskId, payload.type, payload.reason], [id, 'completion.report', 'invalid_run_result']);
    assert.equal(tree.text(`runs/${id}/run_result.rejected.json`), textOf(id));
    assert.equal(tree.has(path), false);
    assert.equal(tree.life.status(id), 'in-progress');
    await tree.stop();
  });
}

test('a result of an agent that does not hold the task is not its report', async () => {
  const { tree, id, path } = await claimed();
  const { lastSeq } = tree;
  tree.type(path, JSON.stringify({ taskId: id, ...RESULT, agentId: 'mallory' }));
  await tree.look();
  assert.deepEqual(tree.happened(lastSeq), ['protocol.message.rejected by mallory']);
  assert.ok(tree.has(`runs/${id}/run_result.rejected.json`));
  await tree.stop();
});

test('files of a run that are gone or changed are put back', async () => {
  const { tree, id } = await claimed();
  const before = filesBelow(tree.root);
  tree.remove(`runs/${id}/run.json`);
  tree.type(`runs/${id}/run_heartbeat.json`, 'x');
  tree.life.at.clock.step(TREE_SCAN_MS);
  await tree.open.tick();
  await tree.look();
  const { [`runs/${id}/run_heartbeat.rejected.json`]: kept, ...after } = filesBelow(tree.root);
  assert.equal(kept, 'x');
  const withoutEvents = (files: Record<string, string>) =>
    Object.entries(files).filter(([path]) => !path.startsWith('events/2'));
  assert.deepEqual(withoutEvents(after), withoutEvents(before));
  await tree.stop();
});

test('a file that is still being written is not judged before it lies still', async () => {
  const tree = TestOpenTree.started();
  const id = await tree.life.inStatus('ready', { body: 'One.\nTwo.\nThree.\n' });
  await tree.look();
  tree.open.start();
  const path = `tasks/ready/${id}.md`;
  const text = tree.text(path).replace('Two.', 'Second.');
  const { clock } = tree.life.at;
  const { lastSeq } = tree;
  for (const length of [20, text.length - 8, text.length]) {
    writeFileSync(tree.path(path), text.slice(0, length));
    tree.hints.hint(tree.path('tasks/ready'), `${id}.md`);
    await tree.open.tick();
    clock.step(TREE_QUIET_MS / 2);
    await tree.open.tick();
    assert.deepEqual(tree.happened(lastSeq), []);
  }
  clock.step(TREE_QUIET_MS);
  await tree.open.tick();
  assert.deepEqual(tree.happened(lastSeq), ['task.edited by filesystem']);
  assert.equal(tree.life.task(id).body, 'One.\nSecond.\nThree.\n');
  await tree.stop();
});

test('front matter that is half written is looked at again before anybody is told', async () => {
  const tree = TestOpenTree.started();
  await tree.look();
  tree.open.start();
  const { clock } = tree.life.at;
  await tree.open.tick();
  clock.step(TREE_SCAN_MS);
  tree.type('tasks/ready/new.md', '---\ntitle: Half');
  await tree.open.tick();
  clock.step(TREE_UNREADABLE_MS - 1);
  tree.type('tasks/ready/new.md', '---\ntitle: Half and half\nstatus: ready\n---\n');
  await tree.open.tick();
  clock.step(TREE_QUIET_MS);
  await tree.open.tick();
  assert.deepEqual(tree.happened(), ['task.created by filesystem']);
  await tree.stop();
});

test('hints lead to one file; without them the look through the folders finds it; a burst looks through at once', async () => {
  const tree = TestOpenTree.started();
  const ids: TaskName[] = [];
  for (let made = 0; made < 4; made++) ids.push(await tree.life.inStatus('ready'));
  await tree.look();
  tree.open.start();
  await tree.open.tick();
  const move = (at: number) => tree.rename(`tasks/ready/${ids[at]}.md`, `tasks/blocked/${ids[at]}.md`);
  const blocked = () => ids.filter((id) => tree.life.status(id) === 'blocked').length;
  move(0);
  await tree.open.tick();
  assert.equal(blocked(), 0);
  tree.hints.hint(tree.path('tasks/blocked'), `${ids[0]}.md`);
  await tree.open.tick();
  assert.equal(blocked(), 1);
  move(1);
  tree.life.at.clock.step(TREE_SCAN_MS);
  await tree.open.tick();
  assert.equal(blocked(), 2);
  move(2);
  for (let hint = 0; hint < TREE_HINTS_MAX; hint++) tree.hints.hint(tree.path('tasks/ready'), `${ids[3]}.md`);
  await tree.open.tick();
  assert.equal(blocked(), 3);
  await tree.stop();
});

for (const what of ['tasks', 'tasks/ready', 'events'] as const) {
  test(`${what} deleted while it runs opens an incident, and is there again`, async () => {
    const tree = TestOpenTree.started();
    await tree.life.inStatus('ready');
    await tree.life.claimed();
    await tree.look();
    const before = filesBelow(tree.root);
    rmSync(tree.path(what), { recursive: true });
    await tree.look();
    const told = tree.happened().filter((each) => each.startsWith('incident') || each.startsWith('tree'));
    assert.deepEqual(told, ['incident.opened by dispatcher', 'incident.closed by dispatcher']);
    const after = filesBelow(tree.root);
    for (const [path, text] of Object.entries(before)) {
      assert.ok(path.startsWith('events/') ? after[path]?.startsWith(text) : after[path] === text, path);
    }
    assert.deepEqual(tree.incidents(), []);
    await tree.stop();
  });
}

test('something in the way of a folder is an incident until it is gone', async () => {
  const tree = TestOpenTree.started();
  const id = await tree.life.inStatus('ready');
  await tree.look();
  rmSync(tree.path('tasks/ready'), { recursive: true });
  writeFileSync(tree.path('tasks/ready'), 'in the way');
  await tree.look();
  assert.deepEqual(tree.incidents(), ['tree_unreadable', 'mirror_enotdir']);
  rmSync(tree.path('tasks/ready'));
  tree.timer.fire();
  await tree.look();
  assert.deepEqual(tree.incidents(), []);
  assert.ok(tree.has(`tasks/ready/${id}.md`));
  await tree.stop();
});

test('a pipe that is put in the place of a file holds nobody up', async () => {
  const tree = TestOpenTree.started();
  const id = await tree.life.inStatus('ready');
  await tree.look();
  tree.remove(`tasks/ready/${id}.md`);
  assert.equal(spawnSync('mkfifo', [tree.path(`tasks/ready/${id}.md`), tree.path('tasks/ready/new.md')]).status, 0);
  await tree.look();
  assert.deepEqual(tree.incidents(), ['unreadable_file', 'unreadable_file']);
  await tree.stop();
});

test('folders that are closed while it runs are incidents, nothing is judged by them, and they heal', (t) => {
  if (process.getuid?.() !== 0) {
    t.skip('only root can be somebody else');
    return;
  }
  const nobody = 65_534;
  const folder = mkdtempSync(join(tmpdir(), 'baton-closed-'));
  t.after(() => rmSync(folder, { recursive: true }));
  chownSync(folder, nobody, nobody);
  const { stdout, stderr, error } = spawnSync(process.execPath, [CLOSE_TREE, folder], { uid: nobody, gid: nobody });
  if (error || /EACCES.*close-tree/s.test(String(stderr))) {
    t.skip('this clone lies in a folder that nobody else may enter');
    return;
  }
  assert.deepEqual(
    String(stdout).split('\n'),
    [
      '',
      'mirror_eacces',
      '',
      'Changed under tasks/ready 500',
      'mirror_eacces tree_unreadable',
      '',
      'Changed under tasks/ready 0',
      'mirror_eacces tree_unreadable',
      '',
      'Changed under tasks 0',
      'true',
      '',
    ],
    String(stderr),
  );
});
