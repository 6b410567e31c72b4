import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { StatusAnswer, TaskDetail } from '../../../src/api/contract.ts';
import { BATON, linesOf, runBaton } from '../../support/run-baton.ts';
import { until } from '../../support/run-stage.ts';
import { TestDaemon } from '../../support/test-daemon.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

/** Fails before the work; after it, waits until it is told to go on. */
const CHECK = 'test -e a.txt || exit 1\ntouch checking\nwhile [ ! -e go ]; do sleep 0.05; done\n';
const ORDER = ['run', '@demo write a.txt hello', '--agent', 'demo', '--check', 'sh check.sh', '--yes', '--json'];

async function json<Value>(folder: string, ...args: string[]): Promise<Value> {
  const run = await runBaton([...args, '--json'], { folder });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  return linesOf<Value>(run)[0] as Value;
}

/** A repository whose run was killed while its check ran. */
async function killedWhileChecking(): Promise<TestRepository> {
  const repository = new TestRepository();
  repository.write('check.sh', CHECK);
  repository.commit('a check');
  const child: ChildProcess = spawn(BATON, ORDER, { cwd: repository.root, stdio: 'ignore' });
  after(() => child.kill('SIGKILL'));
  await until(() => existsSync(join(repository.root, 'checking')));
  child.kill('SIGKILL');
  await once(child, 'exit');
  return repository;
}

describe('killed while the checks run', { concurrency: 2, skip: noBubblewrap }, () => {
  test('the task is shown as interrupted, with the command that goes on, and never as running', async () => {
    const repository = await killedWhileChecking();
    const { root } = repository;
    const status = await json<StatusAnswer>(root, 'status');
    assert.deepEqual(
      status.running.map(({ run }) => run?.isInterrupted),
      [true],
    );
    const { id, runs } = await json<TaskDetail>(root, 'task', 'show', '@');
    assert.equal(runs[0]?.isInterrupted, true);
    const { stdout } = await runBaton(['status'], { folder: root });
    assert.doesNotMatch(stdout, /Running/);
    assert.match(stdout, new RegExp(`^Interrupted \\(1\\)\n +${id}.*\n +baton run ${id}$`, 'm'));
    const shown = await runBaton(['task', 'show', id], { folder: root });
    assert.match(shown.stdout, /^status +in-progress since .*; interrupted: no node runs it$/m);
    assert.match(shown.stdout, /^ +demo +interrupted /m);
    assert.doesNotMatch(shown.stdout, /running|in progress/);
    const other = new TestRepository();
    const beside = ['run', '@demo write b.txt hi', '--agent', 'demo', '--check', 'true', '--yes', '--data'];
    const own = await runBaton([...beside, join(root, '.baton')], { folder: other.root });
    assert.notEqual(own.status, null);
    assert.equal((await json<TaskDetail>(root, 'task', 'show', id)).runs[0]?.isInterrupted, true);
    repository.write('go', '');
    const again = await runBaton(['run', id], { folder: root });
    assert.equal(again.status, 0, again.stdout + again.stderr);
    assert.match(again.stdout, /^checked /m);
  });

  test('the next node runs the checks again', async () => {
    const repository = await killedWhileChecking();
    repository.write('go', '');
    const daemon = await TestDaemon.start(join(repository.root, '.baton'));
    await until(async () => {
      const report = await daemon.client.orderReport({ task: '@' });
      return 'isOver' in report && report.isOver;
    });
    const { runs } = await json<TaskDetail>(repository.root, 'task', 'show', '@');
    assert.deepEqual(
      runs.map(({ status, isInterrupted }) => [status, isInterrupted]),
      [['completed', false]],
    );
    await daemon.end();
  });
});
