import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TaskDetail } from '../../../src/api/contract.ts';
import { eventually, type JoinedNode, NodeStage, sees } from '../../support/federation/joined-nodes.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new NodeStage('lost-content');
const MADE = ['--check', 'test -s made.txt', '--detach'];

/** Two nodes that know each other; the first has a repository. */
async function pair(place: string): Promise<{ left: JoinedNode; right: JoinedNode; loseBlobs: () => void }> {
  const { left, right } = await stage.pair(place);
  writeFileSync(join(left.workspace, 'a.txt'), 'a\n'.repeat(1_000));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@x', ...args], { cwd: left.workspace });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  for (const node of [left, right]) await node.up();
  await sees(left, right.name);
  const loseBlobs = () => rmSync(join(stage.folder, place, 'blobs'), { recursive: true, force: true });
  return { left, right, loseBlobs };
}

const parcelOf = ({ payload }: { readonly payload: Readonly<Record<string, unknown>> }) =>
  payload.x_work as { readonly needs: readonly string[]; readonly unpackedBytes: number };

/** A task is done before its order is reported, and its work waits from the report on. */
async function workWaits(node: JoinedNode): Promise<void> {
  const isOver = (task: TaskDetail) => task.status === 'done' && task.work !== null;
  const { work } = await eventually(() => node.task(), isOver, 'its work');
  assert.equal(work, 'waiting');
}

describe('the files of a task', { concurrency: 3, skip: noBubblewrap }, () => {
  test('are put into the store again where it lost them on their way to the other node', async () => {
    const { left, right, loseBlobs } = await pair('there');
    await right.run(['down']);
    await left.order('@demo write made.txt x', '--on', right.name, ...MADE);
    await eventually(
      () => left.outbox('task_create').length,
      (count) => count === 1,
      'its task_create',
    );
    loseBlobs();
    await right.up();
    await workWaits(left);
  });

  test('are put into the store again where it lost them on their way back', async () => {
    const { left, right, loseBlobs } = await pair('back');
    await left.order('@demo sleep 1500\n@demo write made.txt x', '--on', right.name, ...MADE);
    await left.taskIs('in-progress');
    await left.run(['down']);
    await eventually(
      () => right.outbox('task_complete').length,
      (count) => count === 1,
      'its task_complete',
    );
    loseBlobs();
    await left.up();
    await workWaits(left);
  });

  test('go once to a node that has them, and again where it has lost them', async () => {
    const { left, right } = await pair('once');
    const run = async () => {
      await left.order('@demo write made.txt x', '--on', right.name, ...MADE);
      await left.taskIs('done');
    };
    await run();
    await run();
    const [first, second] = left.outbox('task_create').map(parcelOf);
    assert.ok(first && second && first.needs.length === 0 && second.needs.length > 0);
    assert.ok(second.unpackedBytes < first.unpackedBytes / 2, `${second.unpackedBytes} of ${first.unpackedBytes}`);
    rmSync(join(right.path, 'travel', 'stores'), { recursive: true });
    await run();
    const needs = left.outbox('task_create').map((event) => parcelOf(event).needs.length > 0);
    assert.deepEqual(needs, [false, true, true, false]);
  });
});
