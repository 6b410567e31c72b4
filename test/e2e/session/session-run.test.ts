import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SessionPlan } from '../../../src/domain/session/session-request.ts';
import { checkMessage } from '../../support/message/check-message.ts';
import { linesOf } from '../../support/run-baton.ts';
import { output, RunStage } from '../../support/run-stage.ts';
import { type Member, type SessionRun, SessionStage, sessionFor } from '../../support/session/session-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new SessionStage(await RunStage.up('session-run'));

/** A task that is SUCCESS: it makes a file of its own name. */
function makes(name: string, more: Partial<Member> = {}): Member {
  return { agent: 'completes', task: { expected_outputs: [output(`${name}.txt`)] }, ...more };
}

/** The order in which tasks were answered. */
function answered({ responses }: SessionRun): string[] {
  return responses.map(({ task_id }) => task_id);
}

/** Whether a task began after the others had ended, by their RESPONSEs. */
function assertAfter({ responses }: SessionRun, later: string, earlier: readonly string[]): void {
  const timing = (id: string) => responses.find(({ task_id }) => task_id === id)?.timing;
  for (const id of earlier) {
    const [ended, begun] = [timing(id)?.completed_at ?? '', timing(later)?.started_at ?? ''];
    assert.ok(Date.parse(begun) >= Date.parse(ended), `${later} began ${begun}, ${id} ended ${ended}`);
  }
}

describe('a session file', { concurrency: 2, skip: noBubblewrap }, () => {
  test('CHAIN runs in the order of the file: RESPONSEs as they come, the report last, exit 0', async () => {
    const { root } = stage.stage.repository();
    const tasks = sessionFor(root, { a: makes('a'), b: makes('b'), c: makes('c') }, { workflow_pattern: 'CHAIN' });
    const run = await stage.run(tasks);
    assert.equal(run.exit, 0, run.stderr);
    assert.deepEqual(answered(run), ['a', 'b', 'c']);
    assertAfter(run, 'b', ['a']);
    assertAfter(run, 'c', ['b']);
    for (const line of run.lines) assert.deepEqual(await checkMessage(line), []);
    const { session_id, workflow_pattern, final_signal, totals } = run.report;
    assert.deepEqual([session_id, workflow_pattern, final_signal], [tasks[0]?.session.session_id, 'CHAIN', 'SUCCESS']);
    assert.deepEqual(totals, { tasks: 3, completed: 3, failed: 0, aborted: 0, skipped: 0 });
    const edges = run.report.delegation_graph?.edges;
    assert.deepEqual(edges, [
      { from: 'b', to: 'a', kind: 'DEPENDS' },
      { from: 'c', to: 'b', kind: 'DEPENDS' },
    ]);
    const shown = await stage.show(session_id);
    assert.deepEqual([shown.state, shown.pattern, shown.cost], ['COMPLETED', 'CHAIN', 0]);
    assert.deepEqual(
      shown.tasks.map(({ task_id, state, final_signal: signal, error_code, attempts, depends_on }) => {
        return { task_id, state, signal, error_code, attempts, depends_on };
      })[1],
      { task_id: 'b', state: 'COMPLETED', signal: 'SUCCESS', error_code: null, attempts: 1, depends_on: ['a'] },
    );
  });

  test('MAP_REDUCE: the last waits for all; NDJSON is read as well', async () => {
    const { root } = stage.stage.repository();
    const tasks = sessionFor(
      root,
      { a: makes('a'), b: makes('b'), sum: makes('sum') },
      { workflow_pattern: 'MAP_REDUCE' },
    );
    const run = await stage.run(tasks.map((task) => JSON.stringify(task)).join('\n'));
    assert.equal(run.exit, 0, run.stderr);
    assertAfter(run, 'sum', ['a', 'b']);
  });

  test('HIERARCHICAL: a parent ends after its children, and the graph says who delegated', async () => {
    const { root } = stage.stage.repository();
    const members = {
      top: makes('top'),
      left: makes('left', { parent: 'top' }),
      right: makes('right', { parent: 'top' }),
    };
    const run = await stage.run(sessionFor(root, members, { workflow_pattern: 'HIERARCHICAL' }));
    assert.equal(run.exit, 0, run.stderr);
    assert.equal(answered(run).at(-1), 'top');
    const { nodes = [], edges = [] } = run.report.delegation_graph ?? {};
    assert.deepEqual(
      nodes?.map(({ task_id, depth }) => [task_id, depth]),
      [
        ['top', 0],
        ['left', 1],
        ['right', 1],
      ],
    );
    assert.deepEqual(
      edges?.filter(({ kind }) => kind === 'DELEGATES').map(({ from, to }) => [from, to]),
      [
        ['top', 'left'],
        ['top', 'right'],
      ],
    );
  });

  test('x_depends_on names tasks before they appear, and PARALLEL waits for nothing else', async () => {
    const { root } = stage.stage.repository();
    const members = {
      last: makes('last', { after: ['mid'] }),
      mid: makes('mid', { after: ['first'] }),
      first: makes('first'),
    };
    const run = await stage.run(sessionFor(root, members, { workflow_pattern: 'PARALLEL' }));
    assert.equal(run.exit, 0, run.stderr);
    assert.deepEqual(answered(run), ['first', 'mid', 'last']);
  });

  test('a failed task skips everything that waits for it, all the way; the rest goes on; exit 1', async () => {
    const { root } = stage.stage.repository();
    const run = await stage.run(
      sessionFor(root, {
        bad: { agent: 'crashes' },
        next: makes('next', { after: ['bad'] }),
        later: makes('later', { after: ['next', 'free'] }),
        free: makes('free'),
      }),
    );
    assert.equal(run.exit, 1);
    assert.deepEqual(run.states, { bad: 'FAILED', next: 'SKIPPED', later: 'SKIPPED', free: 'COMPLETED' });
    assert.equal(run.report.final_signal, 'FAILURE');
    const codes = Object.fromEntries(
      (run.report.tasks ?? []).map(({ task_id, error_code, attempts }) => [task_id, [error_code, attempts]]),
    );
    assert.deepEqual(codes, {
      bad: ['E_PROCESS_CRASH', 1],
      next: ['E_DEPENDENCY_FAILED', 0],
      later: ['E_DEPENDENCY_FAILED', 0],
      free: [null, 1],
    });
  });

  test('PARTIAL_SUCCESS opens what waits for it, and the session exits with 3', async () => {
    const { root } = stage.stage.repository();
    const run = await stage.run(
      sessionFor(root, { part: { agent: 'partial' }, next: makes('next', { after: ['part'] }) }),
    );
    assert.deepEqual([run.exit, run.report.final_signal], [3, 'PARTIAL_SUCCESS']);
    assert.deepEqual(run.states, { part: 'COMPLETED', next: 'COMPLETED' });
  });

  test('ABORT_SESSION ends the rest: exit 1, and the aborted tasks are told', async () => {
    const repository = stage.stage.repository();
    const abort = { execution_policy: { on_failure: 'ABORT_SESSION' } };
    const run = await stage.run(
      sessionFor(repository.root, {
        stays: { agent: 'never-answers' },
        bad: { agent: 'crashes', ...abort },
        waits: makes('waits', { after: ['stays'] }),
      }),
    );
    assert.equal(run.exit, 1);
    assert.deepEqual(run.states, { stays: 'ABORTED', bad: 'FAILED', waits: 'SKIPPED' });
    const { tasks } = await stage.show(run.report.session_id);
    assert.match(tasks.find(({ task_id }) => task_id === 'stays')?.message ?? '', /failed, and with it its session/);
  });

  test('cost is summed by provider and model, and equals the ledger', async () => {
    const { root } = stage.stage.repository();
    const costs = (usd: string): Member => ({ agent: 'reports-cost', objective: `COST ${usd}` });
    const run = await stage.run(sessionFor(root, { a: costs('0.10'), b: costs('0.20'), c: makes('c') }));
    const { actual_cost_usd, tokens_input, by_provider, by_model } = run.report.cost_summary ?? {};
    assert.deepEqual([actual_cost_usd, tokens_input], [0.3, 3_000]);
    assert.deepEqual(by_provider, { OTHER: 0.3 });
    assert.deepEqual(by_model, { 'reports-cost': 0.3, completes: 0 });
    assert.equal((await stage.show(run.report.session_id)).cost, 0.3);
  });

  test('--dry-run sums up the caps of the tasks: the most that they may cost', async () => {
    const { root } = stage.stage.repository();
    const capped = (usd: number) => makes('a', { task: { budgets: { max_cost_usd: usd } } });
    const file = stage.write(sessionFor(root, { a: capped(0.5), b: capped(0.25), c: makes('c') }));
    const ended = await stage.stage.data.run(['session', 'run', file, '--dry-run', '--json']);
    const [plan] = linesOf<SessionPlan>(ended);
    assert.deepEqual([plan?.worstUsd, plan?.tasks.map(({ worstUsd }) => worstUsd)], [0.75, [0.5, 0.25, 0]]);
  });

  test('the same session again makes new tasks once it has ended', async () => {
    const { root } = stage.stage.repository();
    const tasks = sessionFor(root, { a: makes('a') });
    const [first, second] = [await stage.run(tasks), await stage.run(tasks)];
    assert.deepEqual([first.exit, second.exit], [0, 0]);
    const shown = await stage.show(first.report.session_id);
    assert.equal(shown.tasks.length, 1);
    assert.deepEqual(second.report.totals?.tasks, 1);
    assert.equal(second.responses.length, 1, 'the answer of the first run is not shown again');
  });

  test('words in YAML run with their agents and checks; --dry-run shows the graph and creates nothing', async () => {
    const repository = stage.stage.repository();
    const yaml = [
      'name: words',
      'agent: completes',
      'tasks:',
      '  - { name: one, words: do it, check: git status }',
      '  - { name: two, words: do it too, after: one, agent: crashes, retries: 0 }',
      '  - { name: three, words: never, after: [two] }',
    ].join('\n');
    const file = stage.write(yaml, 'yaml');
    const dry = await stage.stage.data.run(['session', 'run', file, '--dry-run', '--workspace', repository.root]);
    assert.equal(dry.status, 0, dry.stderr);
    assert.match(dry.stdout, /task {4}two {2}do it too {2}· crashes · after one · no checks · costs nothing/);
    assert.match(dry.stdout, /costs {3}nothing/);
    const before = await stage.stage.data.run(['session', 'list', '--json']);
    assert.ok(!before.stdout.includes('"words"'));
    const run = await stage.run(yaml, '--workspace', repository.root, '--yes');
    assert.equal(run.exit, 1, run.stderr);
    assert.deepEqual(run.states, { one: 'COMPLETED', two: 'FAILED', three: 'SKIPPED' });
  });
});
