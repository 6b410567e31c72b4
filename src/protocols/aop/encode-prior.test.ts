import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRIOR_FILES_MAX, PRIOR_RESULTS_MAX } from '../../domain/limits.ts';
import type { PriorResult } from '../../domain/order/prior-result.ts';
import type { TaskName } from '../../domain/task/task.ts';
import { encodePriorResults } from './encode-prior.ts';

const RESULT: PriorResult = {
  member: 'map-1',
  task: 'TASK-2026-02-09-001' as TaskName,
  isChild: false,
  agent: 'emma',
  verdict: 'unchecked',
  summary: 'Counted the words.',
  files: [{ path: 'count.txt', status: 'created' }],
  isInFiles: true,
  receipt: null,
};

test('a result is told in AOP’s words', () => {
  assert.deepEqual(encodePriorResults([RESULT], true), [
    {
      task_id: 'map-1',
      task: 'TASK-2026-02-09-001',
      relation: 'dependency',
      agent: 'emma',
      final_signal: 'PARTIAL_SUCCESS',
      unchecked: true,
      in_files: true,
      receipt: null,
      summary: 'Counted the words.',
      files: [{ path: 'count.txt', status: 'CREATED' }],
    },
  ]);
});

test('a thousand results and files are cut, and the rest is counted', () => {
  const files = Array.from({ length: PRIOR_FILES_MAX + 3 }, (_, at) => ({
    path: `f${at}`,
    status: 'created' as const,
  }));
  const many = Array.from({ length: PRIOR_RESULTS_MAX + 2 }, () => ({ ...RESULT, files }));
  const told = encodePriorResults(many, true) as {
    readonly files_left_out: number;
    readonly files: readonly unknown[];
  }[];
  assert.deepEqual([told.length, told[0]?.files_left_out, told[0]?.files.length], [100, 3, 50]);
  assert.equal('summary' in (encodePriorResults(many, false)[0] ?? {}), false);
});
