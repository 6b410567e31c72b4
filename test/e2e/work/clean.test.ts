import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { CleanAnswer } from '../../../src/api/contract.ts';
import { type BatonRun, runBaton } from '../../support/run-baton.ts';
import { orderRun, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.up('clean');

function batonIn(folder: string, ...args: string[]): Promise<BatonRun> {
  return runBaton(args, { folder, environment: { BATON_RUN: '', BATON_DATA: '' } });
}

async function runIn(folder: string, file: string, ...flags: string[]): Promise<string> {
  const call = ['run', `@demo write ${file} hello`, '--agent', 'demo', '--yes', '--json', ...flags];
  const ended = await batonIn(folder, ...call);
  assert.equal(ended.status, 3, ended.stdout + ended.stderr);
  return orderRun(ended).own.task;
}

async function clean(root: string, ...flags: string[]): Promise<CleanAnswer> {
  const ended = await batonIn(root, 'clean', '--json', ...flags);
  assert.equal(ended.status, 0, ended.stdout + ended.stderr);
  return JSON.parse(ended.stdout);
}

function worktreesIn(root: string): string[] {
  const folder = join(root, '.baton/worktrees');
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** A task of each sort. */
async function allSorts(root: string) {
  const applied = await runIn(root, 'applied.txt', '--worktree');
  assert.equal((await batonIn(root, 'apply', applied)).status, 0);
  const discarded = await runIn(root, 'discarded.txt', '--worktree');
  assert.equal((await batonIn(root, 'discard', discarded)).status, 0);
  const undone = await runIn(root, 'undone.txt');
  assert.equal((await batonIn(root, 'undo', undone)).status, 0);
  const inPlace = await runIn(root, 'in-place.txt');
  const waiting = await runIn(root, 'waiting.txt', '--worktree');
  return { applied, discarded, undone, inPlace, waiting };
}

describe('clean', { skip: noBubblewrap }, () => {
  test('what was undone or discarded goes; what waits or can be undone stays', async () => {
    const { root } = new TestRepository();
    const tasks = await allSorts(root);
    const planned = await clean(root, '--dry-run');
    assert.deepEqual(worktreesIn(root).length, 2, 'a dry run removes nothing');
    const text = await batonIn(root, 'clean');
    assert.match(
      text.stdout,
      /^removed the saved work of 2 tasks, 1 worktree, \d+ shadow commits, \d+ git objects, 3 other saved files: /,
    );
    assert.match(
      text.stdout,
      /^kept 1 task to be applied, 2 tasks that can be undone \(for 14 days\), 0 running tasks$/m,
    );
    assert.deepEqual([...planned.tasks].sort(), [tasks.discarded, tasks.undone].sort());
    assert.deepEqual(planned.kept, { running: 0, waiting: 1, undoable: 2 });
    assert.deepEqual(worktreesIn(root), [`${tasks.waiting}-1`]);
    const again = await clean(root);
    assert.deepEqual([again.tasks.length, again.objects, again.bytes], [0, 0, 0], 'the second time there is nothing');
    for (const task of [tasks.discarded, tasks.undone]) {
      const refused = await batonIn(root, 'diff', task);
      assert.equal(refused.status, 2);
      assert.match(
        refused.stderr,
        new RegExp(`the saved files of ${task} were removed by baton clean on .* UTC\ntry: baton task show`),
      );
    }
    for (const [task, file] of [
      [tasks.inPlace, 'in-place.txt'],
      [tasks.applied, 'applied.txt'],
    ] as const) {
      const undone = await batonIn(root, 'undo', task);
      assert.equal(undone.status, 0, undone.stderr);
      assert.equal(existsSync(join(root, file)), false);
    }
    assert.equal((await batonIn(root, 'apply', tasks.waiting)).status, 0);
    const last = await clean(root, '--older-than', '0');
    assert.equal(last.tasks.length, 3);
    assert.equal((await batonIn(root, 'undo', tasks.waiting)).status, 2);
    assert.ok(existsSync(join(root, 'waiting.txt')), 'files of the user stay');
    await runIn(root, 'later.txt');
  });

  test('a clean that is killed at any point is finished by the next, and loses nothing', {
    timeout: 180_000,
  }, async () => {
    const { root } = new TestRepository();
    const tasks = await allSorts(root);
    for (const point of [
      'workspace.clean-worktree:1',
      'workspace.clean-names:1',
      'workspace.clean-packed:1',
      'workspace.clean-removed:1',
      'workspace.clean-removed:3',
    ]) {
      const environment = { BATON_RUN: '', BATON_DATA: '', BATON_CRASH: point };
      await runBaton(['clean'], { folder: root, environment });
      assert.match((await batonIn(root, 'diff', tasks.waiting)).stdout, /^\+hello$/m, point);
    }
    const ended = await clean(root);
    assert.deepEqual(ended.kept, { running: 0, waiting: 1, undoable: 2 });
    assert.deepEqual((await clean(root, '--dry-run')).objects, 0);
    for (const task of [tasks.inPlace, tasks.applied]) assert.equal((await batonIn(root, 'undo', task)).status, 0);
    assert.equal((await batonIn(root, 'apply', tasks.waiting)).status, 0);
  });

  test('a run at work keeps everything that it needs', { timeout: 120_000 }, async () => {
    const repository = stage.repository();
    const script = 'echo one > made.txt; while [ ! -e go ]; do sleep 0.1; done; rm go; echo two >> made.txt';
    const started = stage.start(taskFor('runs-a-script', repository.root, { task: { objective: script } }));
    await until(() => existsSync(join(repository.root, 'made.txt')));
    for (const _ of [1, 2]) {
      const cleaned = await stage.data.run(['clean', '--older-than', '0', '--json']);
      assert.equal(JSON.parse(cleaned.stdout).kept.running, 1, cleaned.stdout);
    }
    repository.write('go', '');
    const { own } = await started.answered();
    const undone = await stage.data.run(['undo', own.task]);
    assert.equal(undone.status, 0, undone.stdout + undone.stderr);
    assert.equal(existsSync(join(repository.root, 'made.txt')), false);
  });

  test('clean takes no words, and days only as a number', async () => {
    for (const args of [
      ['clean', 'now'],
      ['clean', '--older-than', 'week'],
    ]) {
      assert.equal((await stage.data.run(args)).status, 2);
    }
  });
});
