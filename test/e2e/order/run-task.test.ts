import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
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

const BODY = ['--body', '@demo write a.txt hello'];
const CHECK = ['--check', 'grep hello a.txt'];

describe('a task that is there', { concurrency: 2, skip: noBubblewrap }, () => {
  test('is carried out in the foreground, with its agent and checks', async () => {
    const { root } = new TestRepository();
    const made = await jsonIn<TaskView>(root, 'task', 'new', 'Write it', ...BODY, '--agent', 'demo', ...CHECK);
    assert.deepEqual([made.status, made.metadata.checks], ['backlog', ['grep hello a.txt']]);
    const ended = await batonIn(root, 'run', made.id, '--yes');
    assert.equal(ended.status, 0, ended.stdout + ended.stderr);
    assert.match(ended.stdout, new RegExp(`^checked {2}${made.id} waits for your review`, 'm'));
    assert.match(ended.stdout, /✓ grep hello a\.txt \(fixed\)/);
    assert.ok(existsSync(join(root, 'a.txt')));
    const over = await batonIn(root, 'run', made.id);
    assert.equal(over.status, 2);
    assert.match(over.stderr, new RegExp(`baton review approve ${made.id} accepts its work, baton undo ${made.id}`));
  });

  test('that was undone or is blocked runs again without a node, and shows its new round only', async () => {
    const { root } = new TestRepository();
    const words = '@demo write a.txt hello\n@demo respond FAILURE';
    const first = orderRun(await batonIn(root, 'run', words, '--agent', 'demo', '--yes', '--json', '--retries', '0'));
    assert.equal(first.exit, 1, first.stderr);
    const retried = await batonIn(root, 'task', 'retry', first.own.task);
    assert.equal(retried.status, 0, retried.stderr);
    assert.match(retried.stderr, new RegExp(`^next: baton run ${first.own.task} `, 'm'));
    const second = await batonIn(root, 'run', first.own.task);
    assert.equal(second.status, 1, second.stdout + second.stderr);
    assert.equal(second.stdout.match(/the agent is working/g)?.length, 1, second.stdout);
    assert.match(second.stdout, /^agent {3}demo in .*\nmay {5}write .*(\n.*)*\nchecks {2}none: .*; no retry, /m);
    const third = await batonIn(root, 'run', first.own.task, '--json');
    assert.equal(orderRun(third).exit, 1);
    const fixed = await batonIn(root, 'run', first.own.task, '--check', 'true');
    assert.equal(fixed.status, 2);
    assert.match(fixed.stderr, /its next round has the same agent and checks/);
  });

  test('is created and carried out by one command', async () => {
    const { root } = new TestRepository();
    const ended = await batonIn(
      root,
      'task',
      'new',
      'Write it',
      ...BODY,
      '--agent',
      'demo',
      ...CHECK,
      '--run',
      '--yes',
    );
    assert.equal(ended.status, 0, ended.stdout + ended.stderr);
    assert.match(ended.stdout, /^checked {2}TASK-\S+ waits for your review/m);
  });

  test('that is done and was undone stays done: a retry, and a run, give it to a new task that names it', async () => {
    const { root } = new TestRepository();
    const flags = ['--agent', 'demo', ...CHECK, '--yes', '--json'];
    const first = orderRun(await batonIn(root, 'run', '@demo write a.txt hello', ...flags));
    assert.equal(first.exit, 0, first.stderr);
    const early = await batonIn(root, 'task', 'retry', first.own.task);
    assert.equal(early.status, 2);
    assert.match(early.stderr, new RegExp(`try: take its work back first: baton undo ${first.own.task};`));
    assert.equal((await batonIn(root, 'undo', first.own.task)).status, 0);
    const retried = await jsonIn<TaskView>(root, 'task', 'retry', first.own.task);
    assert.deepEqual([retried.status, retried.metadata.continues], ['ready', first.own.task]);
    assert.notEqual(retried.id, first.own.task);
    const second = await batonIn(root, 'run', retried.id);
    assert.equal(second.status, 0, second.stdout + second.stderr);
    assert.ok(existsSync(join(root, 'a.txt')));
    assert.equal((await batonIn(root, 'undo', retried.id)).status, 0);
    const third = orderRun(await batonIn(root, 'run', retried.id, '--json'));
    assert.equal(third.exit, 0, third.stderr);
    assert.ok(existsSync(join(root, 'a.txt')));
    assert.ok(![first.own.task, retried.id].includes(third.own.task));
    assert.equal((await jsonIn<TaskView>(root, 'task', 'show', first.own.task)).status, 'done');
    const events = await batonIn(root, 'events', '--task', third.own.task, '--json');
    assert.match(events.stdout, new RegExp(`"continues":"${retried.id}"`));
  });

  test('is planned as the words that it is run with, whatever they look like', async () => {
    const { root } = new TestRepository();
    const body = '@demo write a.txt hello\ntask: not this\nobjective: nor this';
    const made = await jsonIn<TaskView>(root, 'task', 'new', 'Write it', '--body', body, '--agent', 'demo', ...CHECK);
    const ended = await batonIn(root, 'run', made.id, '--yes');
    assert.equal(ended.status, 0, ended.stdout + ended.stderr);
    assert.match(ended.stdout, /^task .*Write it$/m);
    assert.doesNotMatch(ended.stdout, /nor this/);
  });

  test('that waits for another is refused with the command for that one', async () => {
    const { root } = new TestRepository();
    const first = await jsonIn<TaskView>(root, 'task', 'new', 'First', ...BODY, '--agent', 'demo');
    const second = await jsonIn<TaskView>(root, 'task', 'new', 'Second', '--agent', 'demo', '--depends-on', first.id);
    const refused = await batonIn(root, 'run', second.id, '--yes');
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, new RegExp(`try: baton run ${first.id} first`));
  });
});
