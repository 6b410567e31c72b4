import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TaskDetail } from '../../../src/api/contract.ts';
import { VENDORS, VendorStage } from '../../support/agent/vendor-stage.ts';
import type { BatonRun } from '../../support/run-baton.ts';
import { type OrderRun, orderRun } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const CHECK = ['--check', 'grep right a.txt'];

async function ran(stage: VendorStage, words: readonly string[], ...flags: string[]): Promise<OrderRun> {
  return orderRun(await stage.baton('run', words.join('\n'), '--yes', '--json', '--retries', '0', ...flags));
}

async function continued(stage: VendorStage, task: string, ...args: string[]): Promise<OrderRun> {
  return orderRun(await stage.baton('continue', task, '--json', ...args));
}

function shown(stage: VendorStage, task: string): Promise<TaskDetail> {
  return stage.json<TaskDetail>('task', 'show', task);
}

function at(stage: VendorStage, path: string): string | null {
  const file = join(stage.root, path);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}

function refusedWith(run: BatonRun, pattern: RegExp): void {
  assert.equal(run.status, 2, run.stdout + run.stderr);
  assert.match(run.stdout + run.stderr, pattern);
}

describe('baton continue', { concurrency: 2, skip: noBubblewrap }, () => {
  for (const vendor of VENDORS) {
    test(`goes on with a failed task in the session of ${vendor}, with new words and what failed`, async (t) => {
      const stage = new VendorStage(t);
      const script = ['Fill a.txt.', `@${vendor} 1 write a.txt wrong`, `@${vendor} 2 write a.txt right`];
      const first = await ran(stage, script, '--agent', vendor, ...CHECK);
      assert.equal(first.exit, 1);
      const second = await continued(stage, first.own.task, 'Use the other word.');
      assert.deepEqual([second.exit, second.own.task], [0, first.own.task], second.stderr);
      const [prompts = []] = stage.prompts(vendor);
      assert.equal(prompts.length, 2);
      assert.match(prompts[1] ?? '', /^Use the other word\.\n\n## Your last attempt\n\n- Failed: .*grep right a\.txt/);
      assert.doesNotMatch(prompts[1] ?? '', /Fill a\.txt/);
      const { tokens_input } = second.response.cost_tracking ?? {};
      assert.equal(tokens_input, 120);
      assert.equal((await shown(stage, first.own.task)).status, 'done');
    });
  }

  test('with another agent ends a wait for quota and hands the work over: task, files, packet and words', async (t) => {
    const stage = new VendorStage(t);
    const script = ['Fill a.txt.', '@codex 1 write b.txt by codex', '@codex 1 say I have begun.', '@codex 1 quota'];
    const words = [...script, '@claude 1 write a.txt right'].join('\n');
    const first = await stage.baton('run', words, '--yes', '--retries', '0', '--agent', 'codex', ...CHECK);
    assert.equal(first.status, 75, first.stdout);
    const { id } = await shown(stage, '1');
    refusedWith(await stage.baton('continue', id, '--agent', 'nobody'), /nobody/);
    const second = await continued(stage, id, '--agent', 'claude', 'Mind the clock.');
    assert.deepEqual([second.exit, second.own.task], [0, id], second.stderr);
    assert.deepEqual([at(stage, 'a.txt'), at(stage, 'b.txt')], ['right', 'by codex']);
    const [[prompt = ''] = []] = stage.prompts('claude');
    assert.match(prompt, /^Fill a\.txt\.[\s\S]*## Handed over to you\n\ncodex worked on this before you/);
    assert.match(prompt, /^\| \+by codex$[\s\S]*^\| I have begun\.$[\s\S]*^## What to do now\n\nMind the clock\.$/m);
    const third = await continued(stage, id, 'Once more.');
    assert.notEqual(third.own.task, id);
    assert.equal(stage.prompts('claude')[0]?.length, 2);
  });

  test('after a success goes on as a new task in the same session, and each is undone by itself', async (t) => {
    const stage = new VendorStage(t);
    const script = ['Fill a.txt.', '@codex 1 write a.txt right', '@codex 2 write c.txt more'];
    const first = await ran(stage, script, '--agent', 'codex', ...CHECK);
    assert.equal(first.exit, 0, first.stderr);
    const second = await continued(stage, first.own.task, 'And c.txt, please.');
    assert.equal(second.exit, 0, second.stderr);
    const follow = await shown(stage, second.own.task);
    assert.deepEqual([follow.title, follow.metadata.continues], ['And c.txt, please.', first.own.task]);
    assert.equal((await shown(stage, first.own.task)).status, 'done');
    assert.equal(stage.prompts('codex')[0]?.length, 2);
    assert.equal((await stage.baton('undo', second.own.task)).status, 0);
    assert.deepEqual([at(stage, 'a.txt'), at(stage, 'c.txt')], ['right', null]);
    assert.equal((await stage.baton('undo', first.own.task)).status, 0);
    assert.equal(at(stage, 'a.txt'), null);
  });

  test('of the same task in place is undone together with the round before it', async (t) => {
    const stage = new VendorStage(t);
    const script = ['Fill a.txt.', '@codex 1 write b.txt half', '@codex 2 write a.txt right'];
    const first = await ran(stage, script, '--agent', 'codex', ...CHECK);
    const second = await continued(stage, first.own.task);
    assert.equal(second.exit, 0, second.stderr);
    assert.match(stage.prompts('codex')[0]?.[1] ?? '', /^The task is not done yet\. Continue from where/);
    const { stdout } = await stage.baton('diff', first.own.task);
    assert.match(stdout, /a\.txt[\s\S]*b\.txt/);
    assert.equal((await stage.baton('undo', first.own.task)).status, 0);
    assert.deepEqual([at(stage, 'a.txt'), at(stage, 'b.txt')], [null, null]);
  });

  for (const isDone of [true, false]) {
    test(`in a worktree of a task that is ${isDone ? 'done' : 'failed'} goes on there, and apply brings the work of both`, async (t) => {
      const stage = new VendorStage(t);
      const script = [
        'Fill a.txt.',
        `@codex 1 write ${isDone ? 'a.txt right' : 'b.txt half'}`,
        '@codex 2 write a.txt right too',
      ];
      const first = await ran(stage, script, '--agent', 'codex', '--worktree', ...CHECK);
      assert.equal(first.exit, isDone ? 0 : 1, first.stderr);
      const second = await continued(stage, first.own.task, 'Go on.');
      assert.equal(second.exit, 0, second.stderr);
      assert.equal(second.own.workplace, first.own.workplace);
      assert.equal(second.own.task === first.own.task, !isDone);
      assert.equal(at(stage, 'a.txt'), null);
      if (isDone) {
        refusedWith(
          await stage.baton('discard', first.own.task),
          new RegExp(`${second.own.task} continues ${first.own.task}`),
        );
        refusedWith(await stage.baton('continue', first.own.task), /another task already continues/);
        assert.equal((await shown(stage, first.own.task)).work, 'continued');
      }
      assert.equal((await stage.baton('clean', '--older-than', '0')).status, 0);
      const applied = await stage.baton('apply', second.own.task);
      assert.equal(applied.status, 0, applied.stderr);
      assert.equal(at(stage, 'a.txt'), 'right too');
      assert.equal(at(stage, 'b.txt'), isDone ? null : 'half');
      assert.equal((await stage.baton('undo', second.own.task)).status, 0);
      assert.deepEqual([at(stage, 'a.txt'), at(stage, 'b.txt')], [null, null]);
    });
  }

  test('after an undo tells the agent that its work was taken back', async (t) => {
    const stage = new VendorStage(t);
    const script = ['Fill a.txt.', '@codex 1 write a.txt wrong', '@codex 2 write a.txt right'];
    const first = await ran(stage, script, '--agent', 'codex', ...CHECK);
    assert.equal((await stage.baton('undo', first.own.task)).status, 0);
    const second = await continued(stage, first.own.task, 'Again, but right.');
    assert.equal(second.exit, 0, second.stderr);
    assert.match(stage.prompts('codex')[0]?.[1] ?? '', /Changes of that work were taken back since/);
  });

  test('after a timeout goes on with other limits and checks', async (t) => {
    const stage = new VendorStage(t);
    const script = ['Fill a.txt.', '@codex 1 write b.txt half', '@codex 1 hang', '@codex 2 write c.txt whole'];
    const first = await ran(stage, script, '--agent', 'codex', '--timeout', '3', ...CHECK);
    assert.equal(first.code, 'E_TIMEOUT');
    const second = await continued(
      stage,
      first.own.task,
      '--timeout',
      '5m',
      '--check',
      'grep whole c.txt',
      '--budget',
      '3',
    );
    assert.equal(second.exit, 0, second.stderr);
    assert.match(stage.prompts('codex')[0]?.[1] ?? '', /It failed with E_TIMEOUT/);
  });

  test('refuses a task that never ran or is not there, and says what to do', async (t) => {
    const stage = new VendorStage(t);
    const made = await stage.json<TaskDetail>('task', 'new', 'Later', '--agent', 'codex');
    refusedWith(await stage.baton('continue', made.id), new RegExp(`never given to an agent\\n.*baton run ${made.id}`));
    refusedWith(await stage.baton('continue', '999'), /999/);
    refusedWith(await stage.baton('continue'), /which task\?/);
    refusedWith(await stage.baton('continue', made.id, ' '), /the words are empty/);
    const ended = await ran(stage, ['Do.', '@codex 1 crash'], '--agent', 'codex', ...CHECK);
    refusedWith(await stage.baton('continue', ended.own.task, '--agent', 'nobody'), /nobody/);
    assert.equal((await shown(stage, ended.own.task)).status, 'blocked');
  });

  test('is named after a failed run, follows the new round only, and can be left to a node', async (t) => {
    const stage = new VendorStage(t);
    const script = ['Fill a.txt.', '@codex 1 write a.txt wrong', '@codex 2 write a.txt right'];
    const ended = await stage.baton('run', script.join('\n'), '--agent', 'codex', '--yes', '--retries', '0', ...CHECK);
    const [, task = ''] = /^next: baton continue (\S+) .*continue it/m.exec(ended.stdout) ?? [];
    assert.match(task, /^TASK-/, ended.stdout);
    const second = await stage.baton('continue', task, 'Right.');
    assert.equal(second.status, 0, second.stdout + second.stderr);
    assert.match(second.stdout, /the agent resumes its own session/);
    assert.equal(second.stdout.match(/^started/gm)?.length, 1, second.stdout);
    writeFileSync(join(stage.root, 'mine.txt'), 'mine');
    const third = await stage.json<{ task: TaskDetail }>('continue', task, 'More.', '--detach');
    assert.match(third.task.id, /^TASK-/);
    t.after(() => stage.baton('down'));
  });
});
