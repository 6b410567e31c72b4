import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskName } from '../task/task.ts';
import { type DayEnd, makeDayReport } from './day-report.ts';

function end(number: number, some: Partial<DayEnd> = {}): DayEnd {
  return {
    task: `TASK-2026-02-09-00${number}` as TaskName,
    round: 1,
    title: `task ${number}`,
    sessionId: null,
    work: null,
    verdict: 'checked',
    isSkipped: false,
    stoppedBy: null,
    code: null,
    message: '',
    agent: 'emma',
    attempts: 1,
    startedAt: 1_000,
    completedAt: 2_000,
    estimatedUsd: 0,
    spend: [{ provider: 'CLAUDE', model: 'opus', costUsd: 0.1, tokensInput: 10, tokensOutput: 1 }],
    ...some,
  };
}

test('a task stands once, with its last end; what every round cost counts', () => {
  const report = makeDayReport([
    end(1, { verdict: 'failed' }),
    end(2, { verdict: 'partial' }),
    end(3, { verdict: 'aborted', spend: [] }),
    end(1, { round: 2 }),
  ]);
  const tasks = (ends: readonly DayEnd[]) => ends.map(({ title, round }) => `${title}, ${round}`);
  assert.deepEqual(tasks(report.done), ['task 1, 2']);
  assert.deepEqual(tasks(report.unproven), ['task 2, 1']);
  assert.deepEqual(tasks(report.notDone), ['task 3, 1']);
  assert.equal(report.costUsd, 0.3);
  assert.deepEqual(report.models, [
    { provider: 'CLAUDE', model: 'opus', costUsd: 0.3, tokensInput: 30, tokensOutput: 3 },
  ]);
});

test('the runs of an order that is not over count by their cost alone', () => {
  const open = { provider: 'CLAUDE', model: 'opus', costUsd: 0.02, tokensInput: 5, tokensOutput: 2 };
  const report = makeDayReport([end(1)], [open]);
  assert.deepEqual([report.costUsd, report.done.length, report.models[0]?.tokensInput], [0.12, 1, 15]);
});
