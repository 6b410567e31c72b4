import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { OrderAnswer } from '../../../src/api/order/order-contract.ts';
import { linesOf } from '../../support/run-baton.ts';
import { orderRun, RunStage, until } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.up('run-left-work');

/** Work that was done beside the person's files. */
async function workBeside(repository: TestRepository): Promise<string> {
  const call = ['run', '@demo write new.txt hello', '--agent', 'demo', '--worktree', '--check', 'grep hello new.txt'];
  const ended = await stage.data.run([...call, '--workspace', repository.root, '--json']);
  assert.equal(ended.status, 0, ended.stdout + ended.stderr);
  return orderRun(ended).own.task;
}

describe('the work that a run left', { concurrency: 2, skip: noBubblewrap }, () => {
  test('what was dropped can still be seen and taken over, and dropping it again is no error', async () => {
    const repository = stage.repository();
    const task = await workBeside(repository);
    const dropped = await stage.data.run(['discard', task]);
    assert.equal(dropped.status, 0, dropped.stderr);
    assert.match(
      dropped.stderr,
      new RegExp(`^next: baton apply ${task} --data \\S+  merge it into your files after all`),
    );
    const again = await stage.data.run(['discard', task]);
    assert.equal(again.status, 0, again.stderr);
    assert.match(again.stdout, /was removed before/);
    const checked = await stage.data.run(['verify', task]);
    assert.match(checked.stderr, /in a worktree, which was dropped\ntry: baton apply TASK-/);
    const seen = await stage.data.run(['diff', task]);
    assert.match(seen.stdout, /^\+hello$/m, seen.stderr);
    const branch = await stage.data.run(['apply', task, '--branch', 'late']);
    assert.equal(branch.status, 0, branch.stderr);
    assert.equal(repository.git('show', 'late:new.txt'), 'hello');
  });

  test('undo takes back what was applied, also when it was applied twice', async () => {
    const repository = stage.repository();
    const before = repository.fingerprint();
    const task = await workBeside(repository);
    for (const files of [['new.txt'], []]) {
      const [answer] = linesOf<{ files: string[] }>(await stage.data.run(['apply', task, '--json']));
      assert.deepEqual(answer?.files, files);
    }
    const undone = await stage.data.run(['undo', task, '--json']);
    assert.deepEqual(linesOf<{ files: string[] }>(undone)[0]?.files, ['new.txt'], undone.stderr);
    assert.deepEqual(repository.fingerprint(), before);
  });

  test('undo of a task that was tried again puts back what all its rounds did', async () => {
    const repository = stage.repository();
    const before = repository.fingerprint();
    const words = '@demo append a.txt x\n@demo respond FAILURE';
    const flags = [
      '--agent',
      'demo',
      '--retries',
      '0',
      '--check',
      'grep x a.txt',
      '--workspace',
      repository.root,
      '--json',
    ];
    const { own } = orderRun(await stage.data.run(['run', words, ...flags]));
    await stage.data.json('task', 'retry', own.task);
    await until(() => repository.read('a.txt') === 'x\nx\n');
    await until(async () => (await stage.task(own.task)).status === 'blocked');
    const diff = await stage.data.run(['diff', own.task, '--stat']);
    assert.match(diff.stdout, /^a\.txt +added +\+2 -0$/m);
    const undone = await stage.data.run(['undo', own.task, '--json']);
    assert.equal(undone.status, 0, undone.stderr);
    assert.deepEqual(repository.fingerprint(), before);
  });

  test('what a person changed between two rounds stays when both are undone', async () => {
    const repository = stage.repository();
    const words = '@demo append a.txt x\n@demo respond FAILURE';
    const flags = [
      '--agent',
      'demo',
      '--retries',
      '0',
      '--check',
      'grep x a.txt',
      '--workspace',
      repository.root,
      '--json',
    ];
    const { own } = orderRun(await stage.data.run(['run', words, ...flags]));
    repository.write('mine.txt', 'mine\n');
    await stage.data.json('task', 'retry', own.task);
    await until(() => repository.read('a.txt') === 'x\nx\n');
    await until(async () => (await stage.task(own.task)).status === 'blocked');
    const undone = await stage.data.run(['undo', own.task, '--json']);
    assert.equal(undone.status, 0, undone.stderr);
    assert.equal(Object.hasOwn(repository.files(), 'a.txt'), false);
    assert.equal(repository.read('mine.txt'), 'mine\n');
  });

  test('a name that is none for a branch is refused with one that would do', async () => {
    const task = await workBeside(stage.repository());
    const { status, stderr } = await stage.data.run(['apply', task, '--branch', 'two words']);
    assert.equal(status, 2);
    assert.match(stderr, /"two words" is not a valid branch name\ntry: .*--branch two-words/);
  });

  test('when git fails, a person reads what happened and not where in the program', async () => {
    const repository = stage.repository();
    const task = await workBeside(repository);
    repository.git('config', 'core.repositoryformatversion', '99');
    const { status, stderr, stdout } = await stage.data.run(['apply', task, '--branch', 'taken', '--json']);
    const plan = ['run', 'do it', '--agent', 'demo', '--yes', '--workspace', repository.root];
    for (const flag of ['--dry-run', '--detach']) {
      const planned = await stage.data.run([...plan, flag]);
      assert.equal(planned.status, 2, planned.stderr);
      assert.match(planned.stderr, /^error: git .* found 99\ntry: /);
    }
    repository.git('config', '--file', '.git/config', 'core.repositoryformatversion', '0');
    assert.equal(status, 2);
    assert.match(stderr, /^error: git .*\ntry: /);
    assert.doesNotMatch(stderr, /\n\s+at /);
    assert.match(stdout, /^\{"verdict":"refused","code":"workspace_failed"/);
  });
});

test('what a check writes is not the work of the agent, and goes with an undo', { skip: noBubblewrap }, async () => {
  const repository = stage.repository();
  repository.write('check.sh', 'date +%N > seen.txt\n');
  repository.commit('a check that leaves something behind');
  const call = ['run', '@demo write a.txt x', '--agent', 'demo', '--yes', '--workspace', repository.root, '--json'];
  for (let round = 1; round <= 2; round++) {
    const done = await stage.data.run([...call, '--check', 'sh check.sh']);
    assert.equal(done.status, 0, done.stderr);
    const { response } = orderRun(done);
    assert.deepEqual(
      response.execution_summary?.output_artifacts?.map(({ path }) => path),
      [join(repository.root, 'a.txt')],
    );
    const diff = await stage.data.json<{ files: readonly { path: string }[] }>('diff', '@');
    assert.deepEqual(
      diff.files.map(({ path }) => path),
      ['a.txt'],
    );
    const undo = await stage.data.run(['undo', '@']);
    assert.equal(undo.status, 0, undo.stderr);
    assert.deepEqual(Object.keys(repository.files()).sort(), ['check.sh', 'readme.md']);
  }
});

test('without git a task that was done says what to do for the next one, and does not go on unasked', {
  skip: noBubblewrap,
}, async () => {
  const call = ['run', '@demo say hi', '--agent', 'demo', '--yes', '--workspace', stage.folder, '--detach', '--json'];
  const [taken] = linesOf<OrderAnswer>(await stage.data.run(call));
  const task = taken?.task.id ?? '';
  await stage.data.run(['logs', task, '-f']);
  const { stderr } = await stage.data.run(['undo', task]);
  assert.match(stderr, /is not in git, so nothing of it was recorded\ntry: git init/);
  const again = await stage.data.run(['continue', task]);
  assert.equal(again.status, 2, again.stdout);
  assert.match(again.stderr, /is not in git, so the work cannot be undone, and there is no terminal.*\ntry: add --yes/);
});
