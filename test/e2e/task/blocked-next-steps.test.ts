import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runBaton } from '../../support/run-baton.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

test('failed work is offered to be continued, not applied; apply says that its check failed', {
  skip: noBubblewrap,
}, async () => {
  const { root } = new TestRepository();
  const baton = (...args: string[]) => runBaton(args, { folder: root });
  const order = ['run', '@demo write w.txt hi', '--agent', 'demo', '--worktree', '--retries', '0', '--yes'];
  const run = await baton(...order, '--check', 'grep nothing w.txt');
  assert.equal(run.status, 1, run.stdout + run.stderr);
  const [task] = /TASK-[\d-]+/.exec(run.stdout) ?? [];
  const steps = ['diff', 'continue', 'task retry', 'task cancel'].map((step) => ` +baton ${step} ${task}`).join('\n');
  for (const page of [['status'], ['review', 'list'], ['report']]) {
    const { stdout } = await baton(...page);
    assert.match(stdout, new RegExp(`exit 1, expected 0\n${steps}$`, 'm'), page.join(' '));
    assert.doesNotMatch(stdout, /baton apply/, page.join(' '));
  }
  const applied = await baton('apply', '@');
  assert.equal(applied.status, 0, applied.stderr);
  assert.match(applied.stderr, /^note: its check failed: grep nothing w\.txt: exit 1, expected 0\n/);
  assert.match(applied.stdout, /^applied TASK-/);
  const fine = await baton(...order, '--check', 'grep hi w.txt');
  assert.equal(fine.status, 0, fine.stdout + fine.stderr);
  assert.doesNotMatch((await baton('apply', '@')).stderr, /failed/);
});
