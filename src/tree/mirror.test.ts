import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { countCommits } from '../../test/support/ledger/count-commits.ts';
import { filesBelow, TestTree } from '../../test/support/tree/test-tree.ts';
import { MIRROR_DELAY_MS_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task/task.ts';
import { TASK_STATUSES } from '../domain/task/task-lifecycle.ts';

const UID = 'tsk_00000000000000000000000001';

test('all folders are there from the start, before there is any task', async () => {
  const tree = TestTree.started();
  await tree.mirror.settled();
  assert.deepEqual(Object.keys(filesBelow(tree.root)), [
    'events/',
    'runs/',
    'tasks/',
    ...[...TASK_STATUSES].sort().map((status) => `tasks/${status}/`),
  ]);
  await tree.mirror.stop();
});

test('a claimed task lies in in-progress, with its lease, its run and its heartbeat', async () => {
  const tree = TestTree.started();
  const routing = { agent: 'swe-backend', tags: ['api'] };
  const { id, run } = await tree.life.claimed({ ...routing, body: 'Do it.\n', metadata: { reviewRequired: false } });
  await tree.mirror.settled([id]);
  assert.equal(id, 'TASK-2026-02-09-001');
  assert.equal(
    tree.text(`tasks/in-progress/${id}.md`),
    [
      '---',
      'schemaVersion: 1',
      `id: ${id}`,
      `uid: ${UID}`,
      'title: Add users endpoint',
      'status: in-progress',
      'priority: normal',
      'routing:',
      '  agent: swe-backend',
      '  tags:',
      '    - api',
      'lease:',
      '  agent: swe-backend',
      `  runId: ${run.id}`,
      '  fence: 1',
      '  acquiredAt: 2026-02-09T20:55:00.000Z',
      '  expiresAt: 2026-02-09T21:05:00.000Z',
      'createdAt: 2026-02-09T20:55:00.000Z',
      'updatedAt: 2026-02-09T20:55:00.000Z',
      'lastTransitionAt: 2026-02-09T20:55:00.000Z',
      'createdBy: operator',
      'revision: 3',
      'metadata:',
      '  reviewRequired: false',
      '---',
      'Do it.',
      '',
    ].join('\n'),
  );
  assert.equal(
    tree.text(`runs/${id}/run.json`),
    `${JSON.stringify(
      {
        taskId: id,
        agentId: 'swe-backend',
        startedAt: '2026-02-09T20:55:00.000Z',
        status: 'running',
        artifactPaths: { inputs: 'inputs/', work: 'work/', output: 'outputs/' },
        metadata: { runId: run.id, fence: 1 },
      },
      null,
      2,
    )}\n`,
  );
  const heartbeat = { lastHeartbeat: '2026-02-09T20:55:00.000Z', beatCount: 0, expiresAt: '2026-02-09T21:00:00.000Z' };
  assert.deepEqual(tree.json(`runs/${id}/run_heartbeat.json`), { taskId: id, agentId: 'swe-backend', ...heartbeat });
  assert.deepEqual(readdirSync(tree.path(`runs/${id}`)), ['run.json', 'run_heartbeat.json']);
  await tree.mirror.stop();
});

test('a reported and ended task lies in done, without a lease, beside its run_result.json', async () => {
  const tree = TestTree.started();
  const { id } = await tree.life.claimed({ metadata: { reviewRequired: false } });
  await tree.life.report(id, 'done');
  await tree.life.end(id);
  await tree.mirror.settled();
  assert.doesNotMatch(tree.text(`tasks/done/${id}.md`), /lease/);
  assert.deepEqual(Object.entries(tree.json(`runs/${id}/run_result.json`)), [
    ['taskId', id],
    ['agentId', 'swe-backend'],
    ['completedAt', '2026-02-09T20:55:00.000Z'],
    ['outcome', 'done'],
    ['summaryRef', 'outputs/summary.md'],
    ['handoffRef', 'outputs/handoff.md'],
    ['deliverables', []],
    ['tests', { total: 4, passed: 4, failed: 0 }],
    ['blockers', []],
    ['notes', 'noted'],
  ]);
  assert.equal(tree.json(`runs/${id}/run.json`).status, 'completed');
  const taskFiles = Object.keys(filesBelow(tree.root)).filter((path) => path.endsWith('.md'));
  assert.deepEqual(taskFiles, [`tasks/done/${id}.md`]);
  await tree.mirror.stop();
});

test('a new run starts without the files of the one before, which move to its attempt', async () => {
  const tree = TestTree.started();
  const { id, run } = await tree.life.claimed();
  await tree.life.report(id, 'partial');
  await tree.life.end(id);
  await tree.mirror.settled();
  await tree.life.move(id, 'in-progress');
  await tree.mirror.settled();
  const again = tree.life.task(id).runId;
  assert.equal(tree.has(`runs/${id}/run_result.json`), false);
  assert.deepEqual(tree.json(`runs/${id}/run.json`).metadata, { runId: again, fence: 2 });
  assert.deepEqual(tree.json(`runs/${id}/attempts/1/run.json`).metadata, { runId: run.id, fence: 1 });
  assert.equal(tree.json(`runs/${id}/attempts/1/run_result.json`).outcome, 'partial');
  assert.ok(tree.has(`runs/${id}/attempts/1/run_heartbeat.json`));
  await tree.mirror.stop();
});

test('a reclaimed run is marked expired, and runs that came and went unseen have their attempts too', async () => {
  const tree = new TestTree();
  const { id } = await tree.life.claimed();
  await tree.life.end(id);
  await tree.life.claim(id);
  await tree.mirror.tick();
  await tree.life.end(id);
  await tree.life.claim(id);
  tree.mirror.start();
  await tree.mirror.settled([id]);
  const runs = tree.life.runs(id);
  assert.equal(runs.length, 3);
  for (const { fence } of runs.slice(0, -1)) {
    const { status, metadata } = tree.json(`runs/${id}/attempts/${fence}/run.json`);
    const expired = { expiredAt: '2026-02-09T20:55:00.000Z', expiredReason: 'session_end' };
    assert.deepEqual({ status, metadata }, { status: 'failed', metadata: { ...(metadata as object), ...expired } });
  }
  assert.deepEqual(readdirSync(tree.path(`runs/${id}/attempts`)), ['1', '2']);
  await tree.mirror.stop();
});

test('a handoff lies in the inputs of its task, and moves with its folder and what people put there', async () => {
  const tree = TestTree.started();
  const { id: parent } = await tree.life.claimed();
  const id = await tree.life.inStatus('ready');
  const lists = { acceptanceCriteria: ['All tests pass'], expectedOutputs: [], contextRefs: ['a.md'], constraints: [] };
  assert.equal((await tree.life.handOff(id, parent, { payload: lists })).verdict, 'accepted');
  await tree.mirror.settled();
  assert.deepEqual(readdirSync(tree.path(`tasks/ready/${id}`)).sort(), ['inputs', 'outputs', 'work']);
  assert.deepEqual(Object.entries(tree.json(`tasks/ready/${id}/inputs/handoff.json`)), [
    ['taskId', id],
    ['parentTaskId', parent],
    ['fromAgent', 'swe-backend'],
    ['toAgent', 'swe-qa'],
    ...Object.entries(lists),
    ['dueBy', '2026-02-10T12:00:00.000Z'],
  ]);
  assert.match(tree.text(`tasks/ready/${id}/inputs/handoff.md`), /^# Handoff Request\n\n\*\*From:\*\* swe-backend\n/);
  tree.write(`tasks/ready/${id}/outputs/summary.md`, 'Half done.\n');
  const inode = tree.inode(`tasks/ready/${id}/outputs/summary.md`);
  await tree.life.claim(id, 'swe-qa');
  await tree.mirror.settled();
  assert.equal(tree.has(`tasks/ready/${id}`), false);
  assert.ok(tree.has(`tasks/in-progress/${id}/inputs/handoff.json`));
  assert.equal(tree.inode(`tasks/in-progress/${id}/outputs/summary.md`), inode);
  await tree.mirror.stop();
});

test('two companion folders of one task become one, and no file of either is lost', async () => {
  const tree = TestTree.started();
  const id = await tree.life.inStatus('ready');
  await tree.mirror.settled();
  for (const status of ['ready', 'in-progress']) {
    mkdirSync(tree.path(`tasks/${status}/${id}/outputs`), { recursive: true });
    tree.write(`tasks/${status}/${id}/outputs/summary.md`, status);
    tree.write(`tasks/${status}/${id}/outputs/${status}.md`, status);
  }
  await tree.life.claim(id);
  await tree.mirror.settled();
  const outputs = `tasks/in-progress/${id}/outputs`;
  assert.deepEqual(
    readdirSync(tree.path(outputs)).map((name) => [name, tree.text(`${outputs}/${name}`)]),
    [
      ['in-progress.md', 'in-progress'],
      ['ready.md', 'ready'],
      ['summary.md', 'in-progress'],
      ['summary.rejected.md', 'ready'],
    ],
  );
  assert.equal(tree.has(`tasks/ready/${id}`), false);
  await tree.mirror.stop();
});

test('a beat rewrites the heartbeat and leaves alone what it did not change', async () => {
  const tree = TestTree.started();
  const { id } = await tree.life.claimed();
  await tree.mirror.settled();
  const before = tree.inode(`runs/${id}/run.json`);
  tree.life.at.clock.step(60_000);
  await tree.life.beat(id);
  await tree.mirror.settled();
  const { beatCount, lastHeartbeat } = tree.json(`runs/${id}/run_heartbeat.json`);
  assert.deepEqual([beatCount, lastHeartbeat], [1, '2026-02-09T20:56:00.000Z']);
  assert.match(tree.text(`tasks/in-progress/${id}.md`), /expiresAt: 2026-02-09T21:06:00.000Z/);
  assert.equal(tree.inode(`runs/${id}/run.json`), before);
  await tree.mirror.stop();
});

test('a batch of tasks is two commits, and a tree that is right is none', async () => {
  const tree = new TestTree();
  await Promise.all(Array.from({ length: 99 }, () => tree.life.create()));
  const before = countCommits(tree.life.at.file);
  assert.deepEqual(await tree.mirror.tick(), { remaining: false });
  assert.equal(countCommits(tree.life.at.file), before + 2);
  assert.deepEqual(await tree.mirror.tick(), { remaining: false });
  assert.equal(countCommits(tree.life.at.file), before + 2);
  assert.equal(readdirSync(tree.path('tasks/backlog')).length, 99);
  await tree.mirror.stop();
});

test('whoever waits for one task does not wait for the thousand before it', async () => {
  const tree = new TestTree();
  await Promise.all(Array.from({ length: 1_000 }, () => tree.life.create()));
  const last = 'TASK-2026-02-10-001' as TaskName;
  tree.mirror.start();
  await tree.mirror.settled([last]);
  assert.ok(tree.has(`tasks/backlog/${last}.md`));
  assert.ok(tree.behind() > 0);
  await tree.mirror.settled();
  assert.equal(tree.behind(), 0);
  await tree.mirror.stop();
});

test('what a process left unshown is shown by the next', async () => {
  const tree = new TestTree();
  await Promise.all(Array.from({ length: 250 }, () => tree.life.create()));
  assert.deepEqual(await tree.mirror.tick(), { remaining: true });
  await tree.restart();
  assert.equal(readdirSync(tree.path('tasks/backlog')).length, 250);
  assert.equal(tree.behind(), 0);
  await tree.mirror.stop();
});

/** A tree whose mirror stands back until the returned function is called, or until it is waited for. */
async function standingBack(): Promise<{ tree: TestTree; resume(): void }> {
  const tree = new TestTree();
  let resume = () => {};
  tree.timer.pause = () =>
    new Promise((resolve) => {
      resume = resolve;
    });
  tree.mirror.start();
  await tree.mirror.settled();
  return { tree, resume: () => resume() };
}

test('a task that changes again while commands keep coming is written once, at once when a caller waits for it', async () => {
  const { tree, resume } = await standingBack();
  const before = Object.keys(filesBelow(tree.root));
  const id = await tree.life.create();
  for (const to of ['ready', 'blocked', 'review'] as const) {
    await tree.life.move(id, to);
    resume();
    await tree.timer.breathe();
    assert.deepEqual(Object.keys(filesBelow(tree.root)), before);
  }
  await tree.mirror.settled([id]);
  assert.ok(tree.has(`tasks/review/${id}.md`));
  assert.equal(tree.behind(), 0);
  await tree.mirror.stop();
});

/** Far longer than a round of the mirror takes. */
const WRITTEN_MS_MAX = 15_000;

test('commands that keep coming do not hold the mirror up for ever', async () => {
  const { tree, resume } = await standingBack();
  const id = await tree.life.create();
  await tree.timer.breathe();
  tree.life.at.clock.step(MIRROR_DELAY_MS_MAX);
  await tree.life.create();
  resume();
  const path = `tasks/backlog/${id}.md`;
  const until = performance.now() + WRITTEN_MS_MAX;
  while (!tree.has(path)) {
    assert.ok(performance.now() < until, `the mirror did not write ${path} within ${WRITTEN_MS_MAX} ms`);
    await tree.timer.breathe();
  }
  await tree.mirror.stop();
});
