import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Attempt, type Execution, judgementOf } from './execution.ts';
import type { Outcome } from './fact.ts';

const ABORTED: Outcome = { verdict: 'aborted', code: null, message: '', attempts: [] };

function judged(outcome: Outcome | null, some: Partial<Execution> = {}) {
  const { verdict, isSkipped, stoppedBy } = judgementOf({ outcome, attempts: [], stopRequestedBy: null, ...some });
  return [verdict, isSkipped, stoppedBy];
}

const stopped = { runId: 'r1', end: { kind: 'stopped', by: 'anna' } } as Attempt;

test('an order without an outcome has no verdict, also when a stop was requested', () => {
  assert.deepEqual(judged(null, { stopRequestedBy: 'anna' }), [null, false, null]);
});

test('the outcome names its cause; of an older Baton, the other facts do', () => {
  assert.deepEqual(judged({ ...ABORTED, stoppedBy: 'bo' }, { stopRequestedBy: 'anna' }), ['aborted', false, 'bo']);
  assert.deepEqual(judged(ABORTED, { stopRequestedBy: 'anna' }), ['aborted', false, 'anna']);
  assert.deepEqual(judged(ABORTED, { attempts: [stopped] }), ['aborted', false, 'anna']);
  assert.deepEqual(judged(ABORTED), ['aborted', false, null]);
  const failed = { ...ABORTED, code: 'dependency-failed' } as const;
  assert.deepEqual(judged(failed), ['aborted', true, null]);
  assert.deepEqual(judged(failed, { attempts: [stopped] }), ['aborted', false, 'anna']);
});

test('work that was checked before the stop came is not stopped', () => {
  assert.deepEqual(judged({ ...ABORTED, verdict: 'checked' }, { stopRequestedBy: 'anna' }), ['checked', false, null]);
});
