import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StatusAnswer } from '../../../src/api/contract.ts';
import { VendorStage } from '../../support/agent/vendor-stage.ts';
import { linesOf } from '../../support/run-baton.ts';
import { orderRun } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

// Each turn of the stand-in for Claude Code costs $0.00096.
const WORDS = 'Fill a.txt.\n@claude 1 write a.txt half\n@claude 2 write a.txt half\n@claude 3 write a.txt right';
const RUN = ['--agent', 'claude', '--yes', '--check', 'grep right a.txt', '--budget', '0.001'];

interface Paused {
  readonly verdict: string;
  readonly task: string;
  readonly question: string;
  readonly why: string;
}

describe('a run that reaches its cap on money', { concurrency: 2, skip: noBubblewrap }, () => {
  test('keeps its work and asks with exit 5; yes raises the cap and goes on', async (t) => {
    const stage = new VendorStage(t);
    const run = await stage.baton('run', WORDS, ...RUN, '--json');
    assert.equal(run.status, 5, run.stderr);
    const [paused] = linesOf<Paused>(run);
    assert.ok(paused);
    assert.equal(paused.verdict, 'paused');
    assert.match(paused.why, /E_COST_LIMIT_EXCEEDED.*\$0\.001;/);
    assert.equal(stage.repository.read('a.txt'), 'half\n');
    const { questions } = await stage.json<StatusAnswer>('status');
    assert.deepEqual(
      questions.map(({ kind, taskId }) => [kind, taskId]),
      [['budget', paused.task]],
    );
    const { cost } = await stage.json<{ cost: { usd: number } }>('report');
    assert.ok(cost.usd > 0.001, `the report counts an order that waits for an answer: ${cost.usd}`);
    assert.equal((await stage.baton('answer', paused.task, 'yes')).status, 0);
    const { exit, response, stderr } = orderRun(await stage.baton('run', paused.task, '--yes', '--json'));
    assert.equal(exit, 0, stderr);
    assert.equal(response.cost_tracking?.actual_cost_usd, 0.00288);
  });

  test('says what to type, and no stops it', async (t) => {
    const stage = new VendorStage(t);
    const run = await stage.baton('run', WORDS, ...RUN);
    assert.equal(run.status, 5, run.stderr);
    assert.match(run.stdout, /needs you +TASK-\S+ waits for your answer/);
    assert.match(run.stdout, /next: baton answer TASK-\S+ yes/);
    const status = await stage.baton('status');
    assert.match(status.stdout, /Needs you/);
    assert.equal((await stage.baton('answer', '1', 'no')).status, 0);
    const task = await stage.json<{ status: string }>('task', 'show', '1');
    assert.equal(task.status, 'blocked');
    assert.equal(stage.repository.read('a.txt'), 'half\n');
    assert.deepEqual((await stage.json<StatusAnswer>('status')).questions, []);
  });

  test('warns once at 80 %, and goes on', async (t) => {
    const stage = new VendorStage(t);
    const words = 'Fill a.txt.\n@claude 1 write a.txt right';
    const run = await stage.baton('run', words, ...RUN.slice(0, -1), '0.0012');
    assert.equal(run.status, 0, run.stderr);
    assert.equal(run.stdout.match(/^note +it has cost \$0\.00096 of its cap of \$0\.0012$/gm)?.length, 1, run.stdout);
  });
});

describe('a day that reaches its cap on money', { concurrency: 2, skip: noBubblewrap }, () => {
  const run = ['--agent', 'claude', '--yes', '--json', '--budget', '1', '--check', 'grep right a.txt'];
  const words = 'Fill a.txt.\n@claude 1 write a.txt half\n@claude 2 write a.txt right\n@claude 3 write a.txt right';

  test('ends the run that passes it and asks; yes lets this task go on, and no other starts', async (t) => {
    const stage = new VendorStage(t);
    stage.configure('budgets: { day_usd: 0.001 }');
    const first = await stage.baton('run', words, ...run);
    assert.equal(first.status, 5, first.stderr);
    const [paused] = linesOf<Paused>(first);
    assert.match(paused?.why ?? '', /the runs of today have cost \$0\.00192, and the day's cap is \$0\.001/);
    const second = await stage.baton('run', 'Fill b.txt.\n@claude 1 write b.txt right', ...run);
    assert.equal(second.status, 5, second.stderr);
    assert.match(linesOf<Paused>(second)[0]?.why ?? '', /budgets\.day_usd/);
    assert.equal(stage.prompts('claude').length, 1, 'the second agent was started');
    assert.equal((await stage.baton('answer', paused?.task ?? '', 'yes')).status, 0);
    const { exit, stderr } = orderRun(await stage.baton('run', paused?.task ?? '', '--yes', '--json'));
    assert.equal(exit, 0, stderr);
    assert.equal(stage.repository.read('a.txt'), 'right\n');
  });

  test('is warned of once at 80 %', async (t) => {
    const stage = new VendorStage(t);
    stage.configure('budgets: { day_usd: 0.0012 }');
    const warned = await stage.baton(
      'run',
      'Fill a.txt.\n@claude 1 write a.txt right',
      ...run.filter((word) => word !== '--json'),
    );
    assert.equal(warned.status, 0, warned.stderr);
    assert.match(warned.stdout, /the runs of today have cost \$0\.00096 of the day's cap of \$0\.0012/);
  });
});
