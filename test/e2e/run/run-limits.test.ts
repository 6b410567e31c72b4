import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { programOf } from '../../support/fixture-agents.ts';
import { type OrderRun, output, RunStage, taskFor } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('run-limits');
const program = [process.execPath, programOf('never-answers')];
stage.configure({ agents: { hasty: { driver: 'process', command: program, timeout_seconds: 1 } } });
const late = { task: { expected_outputs: [output('a.txt')] } };
const heartbeat = (on_heartbeat_failure: string, more: object = {}) => ({
  execution_policy: {
    heartbeat: { enabled: true, interval_seconds: 1, max_missed_beats: 1, on_heartbeat_failure },
    ...more,
  },
});

/** Ended at its bound, and not a second later. */
function assertEndedAfter({ response }: OrderRun, seconds: number): void {
  const { duration_seconds: took = 0 } = response.timing ?? {};
  assert.ok(took >= seconds && took < seconds + 1, `${took} s instead of ${seconds}`);
}

function warnings({ response }: OrderRun): string {
  return response.execution_summary?.warnings?.join('\n') ?? '';
}

describe('time and silence', { concurrency: 4, skip: noBubblewrap }, () => {
  test('guard_rails.timeout_seconds wins over execution_policy, and is kept to the second', async () => {
    const { root } = stage.repository();
    const bounds = { execution_policy: { timeout_seconds: 60 }, guard_rails: { timeout_seconds: 1 } };
    const run = await stage.run(taskFor('never-answers', root, bounds));
    assert.deepEqual([run.exit, run.code], [1, 'E_TIMEOUT']);
    assertEndedAfter(run, 1);
  });

  test('execution_policy.timeout_seconds counts where the guard rails have none', async () => {
    const { root } = stage.repository();
    const run = await stage.run(taskFor('never-answers', root, { execution_policy: { timeout_seconds: 2 } }));
    assert.deepEqual([run.exit, run.code], [1, 'E_TIMEOUT']);
    assertEndedAfter(run, 2);
  });

  test("the agent's own default counts where the order says nothing, and gives way where it does", async () => {
    const { root } = stage.repository();
    const silent = await stage.run(taskFor('hasty', root));
    assert.deepEqual([silent.exit, silent.code], [1, 'E_TIMEOUT']);
    assertEndedAfter(silent, 1);
    const said = await stage.run(taskFor('hasty', root, { execution_policy: { timeout_seconds: 2 } }));
    assertEndedAfter(said, 2);
  });

  test('--timeout binds an order that says nothing', async () => {
    const { root } = stage.repository();
    const run = await stage.run(taskFor('never-answers', root), '--timeout', '1');
    assert.equal(run.code, 'E_TIMEOUT');
    assertEndedAfter(run, 1);
  });

  test('an agent that ignores SIGTERM is killed 5 seconds later', async () => {
    const { root } = stage.repository();
    const run = await stage.run(taskFor('ignores-sigterm', root, { guard_rails: { timeout_seconds: 1 } }));
    assert.equal(run.code, 'E_TIMEOUT');
    assertEndedAfter(run, 6);
  });

  test('auto_terminate_on_timeout false tells E_TIMEOUT and lets it go on', async () => {
    const { root } = stage.repository();
    const rails = { guard_rails: { timeout_seconds: 1, auto_terminate_on_timeout: false } };
    const run = await stage.run(taskFor('answers-late', root, { ...late, ...rails }));
    assert.deepEqual([run.exit, run.code], [0, null], run.stdout);
    assert.match(warnings(run), /^E_TIMEOUT/m);
    const { events } = taken(await stage.daemon?.client.listEvents({ after: 0, task: run.own.task }));
    assert.ok(events.some(({ type, payload }) => type === 'run.warned' && payload.code === 'E_TIMEOUT'));
  });

  test('silence under ABORT is E_HEARTBEAT_FAILURE', async () => {
    const { root } = stage.repository();
    const run = await stage.run(taskFor('silent', root, heartbeat('ABORT')));
    assert.deepEqual([run.exit, run.code], [1, 'E_HEARTBEAT_FAILURE']);
    assertEndedAfter(run, 1);
  });

  test('max_missed_beats multiplies the interval', async () => {
    const { root } = stage.repository();
    const beats = { enabled: true, interval_seconds: 1, max_missed_beats: 2 };
    const run = await stage.run(taskFor('silent', root, { execution_policy: { heartbeat: beats } }));
    assert.deepEqual([run.exit, run.code], [1, 'E_HEARTBEAT_FAILURE'], 'ABORT is the default');
    assertEndedAfter(run, 2);
  });

  test('silence under WARN is told once, and it goes on', async () => {
    const { root } = stage.repository();
    const run = await stage.run(taskFor('answers-late', root, { ...late, ...heartbeat('WARN') }));
    assert.deepEqual([run.exit, run.code], [0, null]);
    assert.equal(warnings(run).match(/^E_HEARTBEAT_FAILURE/gm)?.length, 1);
  });

  test('silence under CONTINUE means nothing', async () => {
    const { root } = stage.repository();
    const run = await stage.run(taskFor('answers-late', root, { ...late, ...heartbeat('CONTINUE') }));
    assert.deepEqual([run.exit, warnings(run)], [0, '']);
  });

  test('who beats is not silent, and its progress stands in the answer', async () => {
    const { root } = stage.repository();
    const task = taskFor('heartbeats', root, {
      task: { expected_outputs: [output('readme.md')] },
      ...heartbeat('ABORT'),
    });
    const run = await stage.run(task, '--events');
    assert.equal(run.exit, 0);
    assert.equal(run.response.progress_log?.progress_percentage, 100);
    const beats = run.stdout.split('\n').filter((line) => line.includes('"event":"HEARTBEAT"'));
    assert.ok(beats.length > 0, 'the sender gets no sign of life');
  });

  test('a budget is kept while the agent works', async () => {
    const { root } = stage.repository();
    const run = await stage.run(taskFor('spends-and-stays', root), '--budget', '9');
    assert.deepEqual([run.exit, run.code], [1, 'E_COST_LIMIT_EXCEEDED']);
    assert.equal(run.response.cost_tracking?.actual_cost_usd, 9.5);
    const enough = await stage.run(
      taskFor('reports-cost', root, { task: { objective: 'COST 0.4' } }),
      '--budget',
      '0.4',
    );
    assert.equal(enough.exit, 3, 'all of it may be spent');
  });
});
