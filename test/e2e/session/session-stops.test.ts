import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SessionView } from '../../../src/api/session/session-contract.ts';
import { output, processesOf, RunStage, until } from '../../support/run-stage.ts';
import { type Member, SessionStage, sessionFor, sessionRun } from '../../support/session/session-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new SessionStage(await RunStage.up('session-stops'));
const { data } = stage.stage;

function states({ tasks }: SessionView): Record<string, string> {
  return Object.fromEntries(tasks.map(({ task_id, state }) => [task_id, state]));
}

async function running(session: string, count: number): Promise<void> {
  const { daemon } = stage.stage;
  await until(async () => {
    const view = await daemon?.client.showSession({ session });
    return view !== undefined && !('kind' in view) && view.totals.running === count;
  });
}

function idOf(tasks: readonly { readonly session: { readonly session_id: string } }[]): string {
  return tasks[0]?.session.session_id ?? '';
}

describe('a session', { concurrency: 2, skip: noBubblewrap }, () => {
  test('that is stopped ends what runs, aborts what waits, exits with 4; continue goes on to the end', async () => {
    const repository = stage.stage.repository();
    const works: Member = { agent: 'works-until-told', task: { expected_outputs: [output('a.txt')] } };
    const tasks = sessionFor(repository.root, { one: works, two: { agent: 'completes', after: ['one'] } });
    const run = stage.start(tasks);
    await running(idOf(tasks), 1);
    const stop = await data.run(['session', 'stop', idOf(tasks), '--json']);
    assert.equal(stop.status, 0, stop.stdout + stop.stderr);
    assert.deepEqual(states(JSON.parse(stop.stdout)), { one: 'ABORTED', two: 'ABORTED' });
    const { exit, report } = await run.answered();
    assert.deepEqual([exit, report.final_signal], [4, 'ABORTED']);
    await until(() => tasks.every((task) => processesOf(task).length === 0));
    assert.equal((await data.run(['session', 'stop', idOf(tasks)])).status, 2, 'it is over');
    repository.write('go', '');
    const again = sessionRun(await data.run(['session', 'continue', idOf(tasks), '--json']));
    assert.equal(again.exit, 3, again.stderr);
    assert.deepEqual(again.states, { one: 'COMPLETED', two: 'COMPLETED' });
    assert.equal(again.responses.length, 2, 'earlier answers are not shown again');
  });

  test('whose tasks failed is retried: only what was not done runs again', async () => {
    const repository = stage.stage.repository();
    const check = { expected_outputs: [output('late.txt')] };
    const tasks = sessionFor(repository.root, {
      fine: { agent: 'completes', task: { expected_outputs: [output('fine.txt')] } },
      bad: { agent: 'claims-success', task: check, after: ['fine'] },
      next: { agent: 'completes', after: ['bad'], task: { expected_outputs: [output('next.txt')] } },
    });
    const first = await stage.run(tasks);
    assert.deepEqual(first.states, { fine: 'COMPLETED', bad: 'FAILED', next: 'SKIPPED' });
    repository.write('late.txt', 'there now\n');
    const second = sessionRun(await data.run(['session', 'retry', idOf(tasks), '--json']));
    assert.deepEqual(second.states, { fine: 'COMPLETED', bad: 'COMPLETED', next: 'COMPLETED' });
    assert.deepEqual(
      second.responses.map(({ task_id }) => task_id),
      ['bad', 'next'],
    );
    const refused = await data.run(['session', 'retry', idOf(tasks), '--json']);
    assert.deepEqual([refused.status, JSON.parse(refused.stdout).code], [2, 'not_running']);
  });

  test('that was aborted whole is retried with new tasks in the place of cancelled ones', async () => {
    const repository = stage.stage.repository();
    const check = { expected_outputs: [output('late.txt')] };
    const tasks = sessionFor(repository.root, {
      bad: { agent: 'claims-success', task: check, execution_policy: { on_failure: 'ABORT_SESSION' } },
      waits: { agent: 'completes', after: ['bad'], task: { expected_outputs: [output('w.txt')] } },
      free: { agent: 'never-answers' },
    });
    const first = await stage.run(tasks);
    assert.deepEqual(first.states, { bad: 'FAILED', waits: 'SKIPPED', free: 'ABORTED' });
    const before = await stage.show(idOf(tasks));
    repository.write('late.txt', 'there now\n');
    const detach = await data.run(['session', 'retry', idOf(tasks), '--json', '--detach']);
    assert.equal(detach.status, 0, detach.stderr);
    const after = await stage.show(idOf(tasks));
    const names = (view: SessionView) => view.tasks.map(({ id }) => id);
    assert.notEqual(names(after)[2], names(before)[2], 'a cancelled task is final, so another takes its place');
    assert.deepEqual(after.tasks[1]?.depends_on, ['bad']);
    await until(async () => states(await stage.show(idOf(tasks))).waits === 'COMPLETED');
    const stop = await data.run(['session', 'stop', idOf(tasks), '--json']);
    assert.equal(stop.status, 0, stop.stderr);
    assert.deepEqual(states(JSON.parse(stop.stdout)), { bad: 'COMPLETED', waits: 'COMPLETED', free: 'ABORTED' });
  });

  test('that has cost more than its cap is stopped: E_COST_LIMIT_EXCEEDED; a higher cap goes on', async () => {
    const { root } = stage.stage.repository();
    const tasks = sessionFor(
      root,
      {
        dear: { agent: 'reports-cost', objective: 'COST 2.50' },
        next: { agent: 'reports-cost', objective: 'COST 0.50', after: ['dear'] },
      },
      { extensions: { x_max_cost_usd: 2 } },
    );
    const run = await stage.run(tasks);
    assert.deepEqual([run.exit, run.states.dear], [4, 'COMPLETED']);
    assert.deepEqual(run.report.tasks?.[1]?.error_code, 'E_COST_LIMIT_EXCEEDED');
    const poor = await data.run(['session', 'continue', idOf(tasks), '--json']);
    assert.deepEqual([poor.status, JSON.parse(poor.stdout).code], [2, 'E_COST_LIMIT_EXCEEDED']);
    const rich = sessionRun(await data.run(['session', 'continue', idOf(tasks), '--budget', '4', '--json']));
    assert.deepEqual(rich.states, { dear: 'COMPLETED', next: 'COMPLETED' });
    assert.equal(rich.report.cost_summary?.actual_cost_usd, 3);
  });

  test('that has cost more than its cap waits for agents that have answered, and checks their work', async () => {
    const repository = stage.stage.repository();
    const tasks = sessionFor(repository.root, { dear: { agent: 'answers-and-stays', objective: 'COST 3' } });
    const run = stage.start(tasks, '--budget', '2');
    await until(async () => {
      const view = await stage.stage.daemon?.client.showSession({ session: idOf(tasks) });
      return view !== undefined && !('kind' in view) && view.stopped?.cause === 'budget';
    });
    repository.write('go', '');
    const { exit, states } = await run.answered();
    assert.deepEqual([exit, states], [3, { dear: 'COMPLETED' }], 'unchecked, and nothing was aborted');
  });

  test('is stopped by the cost that a running agent reports', async () => {
    const { root } = stage.stage.repository();
    const run = await stage.run(sessionFor(root, { a: { agent: 'spends-and-stays' } }), '--budget', '5');
    assert.deepEqual(
      [run.exit, run.states.a, run.report.tasks?.[0]?.error_code],
      [4, 'ABORTED', 'E_COST_LIMIT_EXCEEDED'],
    );
  });

  test('is stopped by its time limit: E_TIMEOUT for what runs and what waits', async () => {
    const { root } = stage.stage.repository();
    const tasks = sessionFor(root, { a: { agent: 'never-answers' }, b: { agent: 'completes', after: ['a'] } });
    const startedMs = performance.now();
    const run = await stage.run(tasks, '--deadline', '2s');
    assert.ok(performance.now() - startedMs > 1_900);
    assert.deepEqual(
      [run.exit, run.report.tasks?.map(({ error_code }) => error_code)],
      [4, ['E_TIMEOUT', 'E_TIMEOUT']],
    );
    const { stopped } = await stage.show(idOf(tasks));
    assert.equal(stopped?.cause, 'deadline');
  });

  test('runs at most so many tasks at once as it says, the most urgent first', async () => {
    const members = Object.fromEntries(
      ['low', 'normal', 'critical', 'high'].map((priority) => [
        priority,
        { agent: 'completes', root: stage.stage.repository().root, task: { priority: priority.toUpperCase() } },
      ]),
    );
    const run = await stage.run(sessionFor('', members, { extensions: { x_at_once: 1 } }));
    assert.deepEqual(
      run.responses.map(({ task_id }) => task_id),
      ['critical', 'high', 'normal', 'low'],
    );
    const times = run.responses.map(({ timing }) => [
      Date.parse(timing?.started_at ?? ''),
      Date.parse(timing?.completed_at ?? ''),
    ]);
    for (const [at, [begun = 0]] of times.entries()) if (at > 0) assert.ok(begun >= (times[at - 1]?.[1] ?? 0));
  });

  test('takes in a task that its agent delegates, and ends after it', async () => {
    const repository = stage.stage.repository();
    const { root } = repository;
    const [child] = sessionFor(root, { child: { agent: 'completes', task: { expected_outputs: [output('c.txt')] } } });
    const order = { ...child, session: { ...child?.session, session_id: undefined } };
    const tasks = sessionFor(root, {
      parent: {
        agent: 'delegates',
        objective: JSON.stringify([order]),
        task: { constraints: { delegation_allowed: true } },
      },
    });
    const run = await stage.run(tasks);
    assert.deepEqual(run.states, { parent: 'COMPLETED', child: 'COMPLETED' });
    assert.deepEqual(run.report.totals?.tasks, 2);
    const edges = run.report.delegation_graph?.edges ?? [];
    assert.ok(edges?.some(({ from, to, kind }) => from === 'parent' && to === 'child' && kind === 'DELEGATES'));
  });

  test('is refused a task of its own name while that is open', async () => {
    const { root } = stage.stage.repository();
    const tasks = sessionFor(root, { a: { agent: 'never-answers' } });
    const run = stage.start(tasks);
    await running(idOf(tasks), 1);
    const again = await stage.refused(tasks);
    assert.deepEqual([again.exit, again.code, again.errors[0]?.path], [2, 'already_claimed', '/0/task/task_id']);
    run.child.kill('SIGINT');
    assert.equal((await run.answered()).exit, 4, 'Ctrl-C stops it');
  });
});
