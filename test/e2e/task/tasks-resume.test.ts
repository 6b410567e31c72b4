import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { HeldTask } from '../../../src/api/contract.ts';
import type { NodeClient } from '../../../src/api/node-client.ts';
import type { TaskView } from '../../../src/api/task/task-view.ts';
import { HEARTBEAT_TTL_MS } from '../../../src/domain/limits.ts';
import { openNode } from '../../../src/node.ts';
import { aofExample, DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { TestClock } from '../../support/test-clock.ts';

// Examples 8 and 9 of aof-1.md: five minutes pass, so the clock is stepped and the node opened in this process.

const scratch = scratchFolder('tasks-resume');

interface Silence {
  readonly data: DataFolder;
  readonly task: TaskView;
  readonly held: HeldTask;
  /** Opens the node again after its agent was silent for too long. */
  reopen(): Promise<NodeClient>;
}

async function silentAgent(name: string, report: object | null): Promise<Silence> {
  const path = join(scratch, name);
  const clock = new TestClock();
  const open = () => openNode({ dataFolder: path, clock, onFatal: (fault) => assert.fail(fault) });
  const client = await open();
  const task = (await client.createTask({ title: 'Polish' })) as TaskView;
  const held = (await client.claimTask({ task: task.id, agent: 'swe-backend', run: null })) as HeldTask;
  if (report !== null) {
    const text = JSON.stringify({ ...report, taskId: task.id });
    assert.equal((await client.send({ text })).verdict, 'accepted');
  }
  await client.treeSettled();
  await client.close();
  const reopen = async () => {
    clock.step(HEARTBEAT_TTL_MS);
    return await open();
  };
  return { data: new DataFolder(path), task, held, reopen };
}

test('example 8: a report of partial is honoured when the heart stops', async () => {
  const example = aofExample('example-1-completion-report', { '"done"': '"partial"' });
  const { data, task, reopen } = await silentAgent('example-8', example);
  assert.equal(data.readJson('runs', task.id, 'run_result.json').outcome, 'partial');
  const client = await reopen();
  await client.treeSettled();
  const shown = await client.showTask({ task: task.id });
  await client.close();
  assert.ok('status' in shown);
  assert.deepEqual([shown.status, shown.reason], ['review', 'stale_heartbeat_partial']);
  assert.ok(data.has('tasks', 'review', `${task.id}.md`));
  assert.equal(data.readJson('runs', task.id, 'run_result.json').outcome, 'partial');
});

test('example 9: without a report the task is ready again and its run is marked as expired', async () => {
  const { data, task, held, reopen } = await silentAgent('example-9', null);
  const client = await reopen();
  await client.treeSettled();
  const shown = await client.showTask({ task: task.id });
  assert.ok('status' in shown);
  assert.deepEqual([shown.status, shown.reason], ['ready', 'stale_heartbeat_reclaim']);
  assert.ok(data.has('tasks', 'ready', `${task.id}.md`) && !data.has('runs', task.id, 'run_result.json'));
  const { status, metadata } = data.readJson<{ status: string; metadata: Record<string, unknown> }>(
    'runs',
    task.id,
    'run.json',
  );
  assert.deepEqual([status, metadata.expiredReason], ['failed', 'stale_heartbeat']);
  assert.equal(typeof metadata.expiredAt, 'string');
  const late = await client.endTask({ task: task.id, agent: 'swe-backend', run: held.run.id });
  await client.close();
  assert.ok('code' in late && late.code === 'stale_run');
});

test('an agent that was silent can take its task again, with a higher fence', async () => {
  const { task, held, reopen } = await silentAgent('again', null);
  const client = await reopen();
  const again = await client.claimTask({ task: task.id, agent: 'swe-backend', run: null });
  await client.close();
  assert.ok('run' in again && again.run.fence === held.run.fence + 1);
});
