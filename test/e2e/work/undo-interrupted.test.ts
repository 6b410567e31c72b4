import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { RUN_SIGN_MS } from '../../../src/domain/limits.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { runBaton } from '../../support/run-baton.ts';
import { output, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { TestDaemon } from '../../support/test-daemon.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

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

  test('by baton down, and resumed: edits between the two runs are neither reported nor undone', async () => {
    const stage = await RunStage.up('undo-resumed');
    const repository = stage.repository();
    const { root } = repository;
    repository.write('.gitignore', '.env\n');
    repository.write('work.pids', 'first\n');
    repository.commit('rules');
    repository.write('.env', 'KEY=1\n');
    const task = taskFor('works-until-told', root, { task: { expected_outputs: [output('a.txt')] } });
    const run = stage.start(task);
    await until(() => repository.read('work.pids').split('\n').length > 2);
    await stage.data.run(['down']);
    await run.ended;
    // Mine, in a file of the agent too, and in git itself.
    repository.write('work.pids', `mine\n${repository.read('work.pids')}`);
    repository.write('mine.txt', 'mine\n');
    repository.write('.env', 'KEY=mine\n');
    repository.write('go', '');
    repository.git('add', 'mine.txt');
    repository.git('commit', '-qm', 'mine');
    const mine = repository.git('rev-parse', 'HEAD');
    const resumed = await stage.data.run(['run', '1']);
    assert.equal(resumed.status, 0, resumed.stdout + resumed.stderr);
    assert.match(resumed.stdout, /changed between two runs, so they count as yours: go, mine\.txt, work\.pids$/m);
    assert.match(resumed.stdout, /^ {2}\+ a\.txt .*\n {2}~ work\.pids +\+2 -0$/m);
    assert.doesNotMatch(resumed.stdout, /^ {2}. mine\.txt|git: |ignored by git/m);
    const undone = await stage.data.run(['undo', '1']);
    assert.match(undone.stdout, /^undone .*: 2 files in /, undone.stderr);
    const left = ['mine.txt', 'go', '.env', 'work.pids'].map((path) => repository.read(path));
    assert.deepEqual(left, ['mine\n', '', 'KEY=mine\n', 'mine\nfirst\n']);
    assert.equal(existsSync(join(root, 'a.txt')), false);
    assert.equal(repository.git('rev-parse', 'HEAD'), mine);
  });

  test('by a kill of the node: edits made since stay', async () => {
    const { root, daemon, task } = await underWay();
    daemon.child.kill('SIGKILL');
    await daemon.ended;
    // Files that change this soon after its last sign count as the agent's; times of files are coarser than the clock.
    const { mtimeMs } = statSync(join(root, '.baton', 'runs', task, 'output.log'));
    await until(() => Date.now() > mtimeMs + 2 * RUN_SIGN_MS + 100);
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
