import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { EventView, StatusAnswer } from '../../../src/api/contract.ts';
import type { OrderReport } from '../../../src/api/order/order-contract.ts';
import type { TaskView } from '../../../src/api/task/task-view.ts';
import { type BatonRun, linesOf, runBaton } from '../../support/run-baton.ts';
import { orderRun } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

function batonIn(folder: string, ...args: string[]): Promise<BatonRun> {
  return runBaton(args, { folder, environment: { BATON_RUN: '', BATON_DATA: '' } });
}

async function jsonIn<Value>(folder: string, ...args: string[]): Promise<Value> {
  const ended = await batonIn(folder, ...args, '--json');
  assert.equal(ended.status, 0, ended.stdout + ended.stderr);
  return linesOf<Value>(ended)[0] as Value;
}

async function runIn(folder: string, ...flags: string[]): Promise<string> {
  const words = '@demo write work.txt hello\n@demo append readme.md more';
  return orderRun(await batonIn(folder, 'run', words, '--agent', 'demo', '--yes', '--json', ...flags)).own.task;
}

type ShownTask = TaskView & { readonly order: OrderReport };
const show = (folder: string, task: string) => jsonIn<ShownTask>(folder, 'task', 'show', task);
const status = (folder: string) => jsonIn<StatusAnswer>(folder, 'status');

async function workEvents(folder: string, task: string): Promise<EventView[]> {
  return linesOf<EventView>(await batonIn(folder, 'events', '--task', task, '--type', 'work.*', '--json'));
}

const PATHS = ['readme.md', 'work.txt'];

describe('what is done with the work of a task is recorded', { concurrency: 2, skip: noBubblewrap }, () => {
  test('undo and its undo are events with folder and files, and the task says so', async () => {
    const { root } = new TestRepository();
    const task = await runIn(root);
    assert.deepEqual(
      (await status(root)).needsYou.map(({ id }) => id),
      [task],
    );
    await jsonIn(root, 'undo', task);
    const undone = await show(root, task);
    assert.equal(undone.work, 'undone');
    assert.deepEqual(undone.order.receipt?.staleFiles, []);
    assert.match((await batonIn(root, 'task', 'show', task)).stdout, /undone \d\d:\d\d by operator: 2 files in \//);
    assert.match((await batonIn(root, 'task', 'list')).stdout, /\(undone\)$/m);
    const after = await status(root);
    assert.deepEqual([after.needsYou, after.totals.needsYou], [[], 0]);
    assert.doesNotMatch((await batonIn(root, 'status')).stdout, /Needs you/);
    await jsonIn(root, 'apply', task);
    assert.equal((await show(root, task)).work, 'applied');
    assert.deepEqual(
      (await status(root)).needsYou.map(({ id }) => id),
      [task],
    );
    const events = await workEvents(root, task);
    assert.deepEqual(
      events.map(({ type, actor, payload }) => [type, actor, payload.folder, payload.files, payload.paths]),
      ['work.undone', 'work.applied'].map((type) => [type, 'operator', root, 2, PATHS]),
    );
  });

  test('an undone task in review is retried, and begins a round whose work is new', async () => {
    const { root } = new TestRepository();
    const task = await runIn(root);
    const early = await batonIn(root, 'task', 'retry', task);
    assert.equal(early.status, 2);
    assert.match(early.stderr, new RegExp(`try: take its work back first: baton undo ${task}`));
    await jsonIn(root, 'undo', task);
    const retried = await jsonIn<TaskView>(root, 'task', 'retry', task);
    assert.equal(retried.status, 'ready');
  });

  test('work in a worktree waits to be applied until it is applied or discarded', async () => {
    const { root } = new TestRepository();
    const first = await runIn(root, '--worktree', '--check', 'grep hello work.txt');
    const second = await runIn(root, '--worktree');
    const waiting = await status(root);
    assert.equal(waiting.totals.toApply, 2);
    assert.deepEqual(
      waiting.toApply.map(({ id, doneBy, files, signal, work }) => [id, doneBy, files, signal, work]),
      [
        [first, 'demo', 2, 'SUCCESS', 'waiting'],
        [second, 'demo', 2, 'PARTIAL_SUCCESS', 'waiting'],
      ],
    );
    const page = (await batonIn(root, 'status')).stdout;
    assert.match(page, /^Waiting to be applied \(2\)$/m);
    assert.match(page, new RegExp(`^ +baton apply ${first}$`, 'm'));
    assert.match(page, /^ +checked, 2 files, .* ago$/m);
    // The second one needs a person too: it is listed once, with all that can be done.
    assert.equal(page.match(new RegExp(`^ {2}${second}`, 'gm'))?.length, 1);
    assert.match(page, new RegExp(`review return ${second}.*\\n +baton apply ${second}$`, 'm'));
    assert.match(page, /^ {2}and 1 above, which needs you$/m);
    await jsonIn(root, 'apply', first);
    await jsonIn(root, 'discard', second);
    const over = await status(root);
    assert.deepEqual([over.toApply, over.totals], [[], { needsYou: 0, toApply: 0 }]);
    assert.deepEqual(
      (await workEvents(root, second)).map(({ type }) => type),
      ['work.discarded'],
    );
    const applied = await show(root, first);
    assert.deepEqual([applied.work, applied.order.receipt?.staleFiles], ['applied', []]);
    appendFileSync(join(root, 'work.txt'), 'mine\n');
    assert.deepEqual((await show(root, first)).order.receipt?.staleFiles, ['work.txt']);
    assert.match((await batonIn(root, 'task', 'show', first)).stdout, /\(stale: work\.txt changed since\)/);
  });

  test('apply to a branch is recorded with the branch', async () => {
    const { root } = new TestRepository();
    const task = await runIn(root, '--worktree');
    await jsonIn(root, 'apply', task, '--branch', 'late');
    const [event] = await workEvents(root, task);
    assert.deepEqual([event?.type, event?.payload.branch], ['work.applied', 'late']);
    assert.match((await batonIn(root, 'task', 'show', task)).stdout, /applied .* 2 files on the branch late/);
  });
});
