import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type BatonRun, runBaton } from '../../support/run-baton.ts';
import { orderRun } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

function batonIn(folder: string, ...args: string[]): Promise<BatonRun> {
  return runBaton(args, { folder, environment: { BATON_RUN: '', BATON_DATA: '' } });
}

/** An agent that makes two files in its first round, and one in each further round if it is asked to. */
const STEP = `cat >/dev/null
if [ ! -f one.txt ]; then seq 1 500 > one.txt; echo gone > gone.txt; elif [ -f more ]; then echo two > two.txt; fi`;

async function firstRound(): Promise<{ readonly root: string; readonly task: string }> {
  const repository = new TestRepository();
  const { root } = repository;
  mkdirSync(join(root, 'tools'));
  repository.write('tools/step.sh', STEP);
  repository.git('add', '-A');
  repository.git('commit', '-qm', 'tools');
  const set = await batonIn(root, 'config', 'set', 'agents.step', '{ driver: process, command: [sh, tools/step.sh] }');
  assert.equal(set.status, 0, set.stderr);
  const ended = await batonIn(root, 'run', 'Fix readme.md', '--agent', 'step', '--review', '--yes', '--json');
  return { root, task: orderRun(ended).own.task };
}

/** The queue on one line. */
async function whyOf(root: string): Promise<string> {
  return (await batonIn(root, 'review', 'list')).stdout.replaceAll(/\s+/g, ' ');
}

describe('rounds in your own files', { concurrency: 2, skip: noBubblewrap }, () => {
  test('a round that changes nothing leaves the first one to be seen, reviewed and undone', async () => {
    const { root, task } = await firstRound();
    const before = await whyOf(root);
    assert.match(before, /large diff: \+501 -0 in 2 files; outside the objective: /);
    const again = await batonIn(root, 'continue', task, '--yes');
    assert.doesNotMatch(again.stdout, /no file was changed/);
    assert.match(again.stdout, /\+ one\.txt +\+500/);
    assert.match(again.stdout, new RegExp(`^next: baton undo ${task}`, 'm'));
    assert.match(await whyOf(root), /large diff: \+501 -0 in 2 files; outside the objective: /);
    assert.match((await batonIn(root, 'task', 'show', task)).stdout, /2 files changed/);
    const { actions } = JSON.parse((await batonIn(root, 'task', 'show', task, '--json')).stdout);
    assert.ok(actions.includes('undo'), actions);
  });

  test("the rounds count together without a person's edits, on a branch too, until they are undone", async () => {
    const { root, task } = await firstRound();
    appendFileSync(join(root, 'readme.md'), 'my note\n');
    appendFileSync(join(root, 'more'), '');
    rmSync(join(root, 'gone.txt'));
    const returned = await batonIn(root, 'review', 'return', task, '-m', 'go on');
    assert.match(returned.stdout, /two\.txt/, returned.stderr);
    assert.match(await whyOf(root), /large diff: \+501 -0 in 2 files; /);
    const branched = await batonIn(root, 'apply', task, '--branch', 'both');
    assert.equal(branched.status, 0, branched.stderr);
    const names = execFileSync('git', ['diff', '--name-only', 'HEAD', 'both'], { cwd: root, encoding: 'utf8' });
    assert.equal(names, 'one.txt\ntwo.txt\n');
    assert.equal((await batonIn(root, 'undo', task)).status, 0);
    await batonIn(root, 'continue', task, '--yes');
    assert.match(await whyOf(root), /large diff: \+501 -0 in 2 files; /);
    assert.match((await batonIn(root, 'task', 'show', task)).stdout, /2 files changed/);
  });
});
