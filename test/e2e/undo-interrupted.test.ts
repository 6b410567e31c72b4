import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { isRefusal } from '../../src/domain/refusal.ts';
import { runBaton } from '../support/run-baton.ts';
import { until } from '../support/run-stage.ts';
import { TestDaemon } from '../support/test-daemon.ts';
import { noBubblewrap } from '../support/test-process.ts';
import { TestRepository } from '../support/test-repository.ts';

async function baton(folder: string, ...args: string[]): Promise<string> {
  const environment = { BATON_RUN: '', BATON_DATA: '' };
  const { status, stdout, stderr } = await runBaton(args, { folder, environment });
  assert.equal(status, 0, `${args.join(' ')}: exit ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** A repository with a node and a task whose agent has written begun.txt and goes on. */
async function underWay() {
  const { root } = new TestRepository();
  await baton(root, 'init');
  const daemon = await TestDaemon.start(join(root, '.baton'));
  const text = '@demo write begun.txt x\n@demo sleep 300000';
  const order = await daemon.client.submitOrder({ text, workspace: root, agent: 'demo' });
  assert.ok(!isRefusal(order), JSON.stringify(order));
  await until(() => existsSync(join(root, 'begun.txt')));
  return { root, daemon, task: order.task.id };
}

/** Edits of a person, and whether they are still there. */
function editBy(root: string): () => void {
  appendFileSync(join(root, 'readme.md'), 'mine\n');
  writeFileSync(join(root, 'mine.txt'), 'mine\n');
  return () => {
    assert.match(readFileSync(join(root, 'readme.md'), 'utf8'), /\nmine\n$/);
    assert.ok(existsSync(join(root, 'mine.txt')));
    assert.equal(existsSync(join(root, 'begun.txt')), false);
  };
}

describe('undo of work that was interrupted', { concurrency: 2, skip: noBubblewrap }, () => {
  test('by baton down: edits made since stay', async () => {
    const { root, task } = await underWay();
    await baton(root, 'down');
    const assertKept = editBy(root);
    await baton(root, 'stop', task);
    assert.match(await baton(root, 'undo', task), /^undone .*: 1 file in /);
    assertKept();
  });

  test('by a kill of the node: edits made since stay', async () => {
    const { root, daemon, task } = await underWay();
    daemon.child.kill('SIGKILL');
    await daemon.ended;
    // Files that change within a second of the kill count as the agent's.
    await setTimeout(1_500);
    const assertKept = editBy(root);
    await baton(root, 'stop', task);
    assert.match(await baton(root, 'diff', task), /^begun\.txt +added/);
    assert.match(await baton(root, 'undo', task), /^undone .*: 1 file in /);
    assertKept();
  });

  test('by baton task cancel: its files are reported and undone', async () => {
    const { root, task } = await underWay();
    await baton(root, 'task', 'cancel', task);
    await until(async () => /1 file changed/.test(await baton(root, 'task', 'show', task)));
    const assertKept = editBy(root);
    assert.match(await baton(root, 'diff', task), /begun\.txt/);
    assert.match(await baton(root, 'undo', task), /^undone .*: 1 file in /);
    assertKept();
  });
});
