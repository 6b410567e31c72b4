import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { NodeFault } from '../../../src/api/node-fault.ts';
import { isRefusal, type Refusal } from '../../../src/domain/refusal.ts';
import { runBaton } from '../../support/run-baton.ts';
import { orderRun, until } from '../../support/run-stage.ts';
import { TestDaemon } from '../../support/test-daemon.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

const HERE = { BATON_RUN: '', BATON_DATA: '' };

/** Calls Baton in a folder, with the data folder of that folder's repository. */
async function batonIn(folder: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runBaton(args, { folder, environment: HERE });
  assert.equal(status, 0, `${args[0]}: exit ${status}\n${stdout}${stderr}`);
  return stdout;
}

async function runIn(folder: string, words: string, check = 'ls readme.md'): Promise<string> {
  const stdout = await batonIn(folder, 'run', words, '--agent', 'demo', '--check', check, '--yes', '--json');
  return orderRun({ status: 0, stdout, stderr: '', extra: '' }).own.task;
}

/** As `cp -a` makes it, beside the original. A node that writes meanwhile would leave files of two instants in it. */
function copyOf(root: string, daemon?: TestDaemon): string {
  const copy = join(dirname(root), 'copy');
  daemon?.child.kill('SIGSTOP');
  cpSync(root, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  daemon?.child.kill('SIGCONT');
  return copy;
}

function has(folder: string, name: string): boolean {
  return existsSync(join(folder, name));
}

function lines(folder: string, name: string): number {
  return readFileSync(join(folder, name), 'utf8').split('\n').length - 1;
}

function notRefused<Answer>(answer: Answer | Refusal): Answer {
  if (isRefusal(answer)) throw new Error(answer.message);
  return answer as Answer;
}

describe('a copied or moved data folder', { concurrency: 2, skip: noBubblewrap }, () => {
  test('a command in a copy does not act through the node of the original', async () => {
    const { root } = new TestRepository();
    await batonIn(root, 'init');
    const daemon = await TestDaemon.start(join(root, '.baton'));
    const task = await runIn(root, '@demo write work.txt hello', 'ls work.txt');
    const copy = copyOf(root);
    renameSync(join(root, 'work.txt'), join(root, 'away.txt'));
    await batonIn(copy, 'verify', task);
    assert.match(await batonIn(copy, 'receipt', 'verify', task), /^valid/, 'the files of the copy are compared');
    renameSync(join(root, 'away.txt'), join(root, 'work.txt'));
    assert.match(await batonIn(copy, 'undo', task), new RegExp(` in ${copy}\n`));
    assert.deepEqual([has(copy, 'work.txt'), has(root, 'work.txt')], [false, true]);
    assert.match(await batonIn(copy, 'down'), /no node of .*copy\/\.baton is running/);
    assert.match(
      await batonIn(copy, 'run', '@demo write x', '--agent', 'demo', '--dry-run'),
      new RegExp(` in ${copy} `),
    );
    await batonIn(copy, 'up', '-d');
    await runIn(copy, '@demo write second.txt hello');
    assert.deepEqual([has(copy, 'second.txt'), has(root, 'second.txt')], [true, false]);
    assert.match(await batonIn(copy, 'down'), /has stopped/);
    assert.equal(daemon.child.exitCode, null, 'the node of the original runs on');
    assert.match(await batonIn(root, 'undo', task), new RegExp(` in ${root}\n`));
  });

  test('work goes on in the copy, and what is under way in the original is left alone', async () => {
    const { root } = new TestRepository();
    await batonIn(root, 'init');
    const daemon = await TestDaemon.start(join(root, '.baton'));
    const done = await runIn(root, '@demo append work.txt hello');
    const text = '@demo write begun.txt x\n@demo sleep 300000';
    const order = await daemon.client.submitOrder({ text, workspace: root, agent: 'demo' });
    assert.ok(!isRefusal(order), JSON.stringify(order));
    await until(() => has(root, 'begun.txt'));
    const copy = copyOf(root, daemon);
    await batonIn(copy, 'continue', done, '--yes');
    assert.deepEqual([lines(copy, 'work.txt'), lines(root, 'work.txt')], [2, 1]);
    assert.match(await batonIn(copy, 'undo', '@'), new RegExp(` in ${copy}\n`));
    assert.equal(lines(copy, 'work.txt'), 1, 'the work before it was done in the original');
    const { status } = await daemon.client.showTask({ task: order.task.id }).then(notRefused);
    assert.equal(status, 'in-progress');
    assert.match(await batonIn(copy, 'task', 'show', order.task.id), /is a copy of it, or it was moved/);
    assert.equal((await runBaton(['stop', order.task.id], { folder: root, environment: HERE })).status, 0);
    assert.deepEqual([has(copy, 'begun.txt'), has(root, 'begun.txt')], [true, true]);
  });

  test('an order that was queued in the original is not begun by a copy, and neither is its retry', async () => {
    // Nothing is committed, so that a second order gets no worktree and waits.
    const { root } = new TestRepository({ isEmpty: true });
    await batonIn(root, 'init');
    const daemon = await TestDaemon.start(join(root, '.baton'));
    const order = async (text: string) =>
      notRefused(await daemon.client.submitOrder({ text, workspace: root, agent: 'demo' })).task.id;
    const begun = await order('@demo write begun.txt x\n@demo sleep 300000');
    await until(() => has(root, 'begun.txt'));
    const queued = await order('@demo write later.txt x');
    await daemon.untilLogged('run.waits');
    await daemon.end('SIGKILL');
    const copy = copyOf(root);
    for (const round of ['first', 'retry']) {
      const ended = await runBaton(['run', queued], { folder: copy, environment: HERE });
      assert.deepEqual([ended.status, has(copy, 'later.txt'), has(root, 'later.txt')], [1, false, false], round);
      assert.match(ended.stdout, /the task was given for .*, of which this is a copy/);
    }
    await batonIn(copy, 'run', '@demo write own.txt x', '--agent', 'demo', '--check', 'ls own.txt', '--yes');
    assert.ok(has(copy, 'own.txt'), 'the copy takes work of its own');
    await batonIn(root, 'stop', begun);
    assert.equal((await runBaton(['run', queued], { folder: root, environment: HERE })).status, 3);
    assert.ok(has(root, 'later.txt'), 'the original carries it out');
  });

  test('a node whose folder is moved ends, and creates nothing at the old place', async () => {
    const { root } = new TestRepository();
    await batonIn(root, 'init');
    const daemon = await TestDaemon.start(join(root, '.baton'));
    const task = await runIn(root, '@demo write work.txt hello');
    const { client } = daemon;
    const moved = join(dirname(root), 'moved');
    renameSync(root, moved);
    const created = await client.createTask({
      title: 'Asked of a node that does not know yet that its folder was moved',
    });
    // It may have found out meanwhile.
    assert.ok(!isRefusal(created) || created.code === 'ledger_damaged', JSON.stringify(created));
    assert.match(await batonIn(moved, 'undo', task), new RegExp(` in ${moved}\n`));
    await daemon.ended;
    assert.equal(existsSync(root), false, 'the old path is not created again');
    if (!isRefusal(created)) assert.match(await batonIn(moved, 'task', 'list'), /Asked of a node/);
    await runIn(moved, '@demo write second.txt hello');
    assert.deepEqual([has(moved, 'second.txt'), existsSync(root)], [true, false]);
    assert.equal(readFileSync(join(moved, '.baton/signers'), 'utf8').trim().split('\n').length, 1, 'one key signs');
  });

  test('a run whose data folder is moved away meanwhile does not create another one', async () => {
    const { root, dataFolder } = new TestRepository();
    const daemon = await TestDaemon.start(dataFolder);
    const text = '@demo write begun.txt x\n@demo sleep 300';
    const { client } = daemon;
    const order = await client.submitOrder({ text, workspace: root, agent: 'demo' });
    assert.ok(!isRefusal(order), JSON.stringify(order));
    await until(() => has(root, 'begun.txt'));
    const moved = `${dataFolder}-moved`;
    const other = new TestRepository();
    renameSync(dataFolder, moved);
    // The node may have found out, and be gone before it answers.
    const late = client.submitOrder({ text: '@demo write other.txt x', workspace: other.root, agent: 'demo' });
    await late.catch((error: unknown) => assert.ok(error instanceof NodeFault));
    await daemon.ended;
    assert.equal(existsSync(dataFolder), false);
    const { status } = await runBaton(['run', order.task.id, '--yes', '--data', moved], { folder: root });
    assert.equal(status, 3, 'the next node goes on with the run');
  });
});
