import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkVerdict } from '../../domain/order/work-verdict.ts';
import type { TaskName } from '../../domain/task/task.ts';
import { runResultSchema } from '../../protocols/aof/schema/files.ts';
import { resultOfOutcome } from './result-of-outcome.ts';

const taskId = 'TASK-2026-02-09-057' as TaskName;

function formOf(verdict: WorkVerdict, message: string, deliverables: readonly string[]) {
  const outcome = { verdict, code: 'unknown', message, attempts: [] } as const;
  const tests = { total: 2, passed: 1, failed: 1 };
  const { agent, completedAt, ...result } = resultOfOutcome({ taskId, outcome, tests, deliverables }, 'emma', 1);
  const file = { ...result, taskId, agentId: agent, completedAt: new Date(completedAt).toISOString() };
  const form = runResultSchema.safeParse(file);
  assert.ok(form.success, JSON.stringify(form.error?.issues));
  return result;
}

test('whatever was found has the form of a run_result.json', () => {
  const many = Array.from({ length: 200 }, (_, at) => `src/${at}.ts`);
  for (const verdict of ['checked', 'unchecked', 'partial', 'failed', 'aborted'] as const) {
    const { deliverables } = formOf(verdict, '😀'.repeat(20_000), ['x'.repeat(300), ...many]);
    assert.deepEqual(deliverables, many.slice(0, 50));
  }
});

test('what is short is told whole', () => {
  const { blockers, notes, summaryRef } = formOf('failed', 'it failed', ['a.ts']);
  assert.deepEqual([blockers, notes], [['E_UNKNOWN: it failed'], 'E_UNKNOWN: it failed']);
  assert.equal(summaryRef, `../../../runs/${taskId}/response.json`);
});
