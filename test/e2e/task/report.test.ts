import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DayReportAnswer } from '../../../src/api/overview/report-contract.ts';
import type { AgentStats } from '../../../src/domain/agent/agent-stats.ts';
import { linesOf } from '../../support/run-baton.ts';
import { output, RunStage } from '../../support/run-stage.ts';
import { SessionStage, sessionFor } from '../../support/session/session-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new SessionStage(await RunStage.up('report'));
const { data } = stage.stage;

describe('baton report', { skip: noBubblewrap }, () => {
  test('tells what is done, what is not and why, the cost, and what to decide', async () => {
    const { root } = stage.stage.repository();
    const fine = { agent: 'completes', task: { expected_outputs: [output('fine.txt')] } };
    const tasks = sessionFor(root, {
      fine,
      dear: { agent: 'reports-cost', objective: 'COST 1.25' },
      bad: { agent: 'claims-success', task: { expected_outputs: [output('missing.txt')] } },
      next: { ...fine, after: ['bad'] },
    });
    await stage.run(tasks);
    const report = await data.json<DayReportAnswer>('report', '--since', 'today');
    const titles = (ends: DayReportAnswer['done']) => ends.map(({ agent, code }) => [agent, code]);
    assert.deepEqual(titles(report.done), [['completes', null]]);
    assert.deepEqual(titles(report.unproven), [['reports-cost', null]]);
    assert.deepEqual(
      report.notDone.map(({ isSkipped, code }) => [isSkipped, code]),
      [
        [false, report.notDone[0]?.code],
        [true, 'E_DEPENDENCY_FAILED'],
      ],
    );
    assert.deepEqual([report.cost.usd, report.cost.byModel['reports-cost']], [1.25, 1.25]);
    assert.deepEqual([report.sessions.length, report.running, report.waiting, report.asleepMs], [1, 0, 0, 0]);
    assert.ok(report.attention.total > 0, 'a failed task waits for a person');
    const stats = linesOf<AgentStats>(await data.run(['agents', '--stats', '--json']));
    const rates = stats.map(({ agent, successRate, orders }) => [agent, successRate, orders]);
    assert.deepEqual(rates.toSorted(), [
      ['claims-success', 0, 1],
      ['completes', 1, 1],
      ['reports-cost', 0, 1],
    ]);
    assert.equal(stats.find(({ agent }) => agent === 'reports-cost')?.medianCostUsd, 1.25);
    const { stdout } = await data.run(['report']);
    assert.match(stdout, /since .* · \$1\.25\n\nChecked \(1\)[\s\S]*Unchecked or partial \(1\)[\s\S]*Not done \(2\)/);
    assert.match(stdout, /skipped: /);
    assert.match(stdout, /Cost \(\$1\.25\)\n {2} {3}\$1\.25 {2}reports-cost[\s\S]*To decide \(/);
  });

  test('a time that is none is refused; a time without work says so, and nothing is created', async () => {
    const wrong = await data.run(['report', '--since', 'yesterdayish']);
    assert.deepEqual([wrong.status, /is not a time/.test(wrong.stderr)], [2, true]);
    const future = await data.json<DayReportAnswer>('report', '--since', '2999-01-01T00:00:00Z');
    assert.deepEqual([future.done, future.notDone, future.cost.usd], [[], [], 0]);
  });
});
