import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import { attemptOf, executionOf, failedBy, requeued } from '../../../test/support/run/an-execution.ts';
import type { AttemptEnd } from '../execution/fact.ts';
import { NO, YES } from '../task/question.ts';
import { type AnsweredQuestion, decideResume } from './decide-resume.ts';

const capped = (costUsdMax: number | null) => anOrder({ budget: { costUsdMax, tokensMax: null } });
const OVER: AttemptEnd = failedBy('budget-exceeded');

function answer(kind: AnsweredQuestion['kind'], end: AttemptEnd, some: Partial<AnsweredQuestion> = {}) {
  const execution = executionOf(capped(2), attemptOf('run_1', end), requeued({ alternative: 1 }));
  return decideResume({ kind, option: YES, execution, firstCapUsd: 2, nowMs: 50, ...some });
}

test('anything but yes stops the order', () => {
  for (const kind of ['budget', 'quota'] as const)
    assert.deepEqual(answer(kind, OVER, { option: NO }), { kind: 'stop' });
});

test('yes to more money adds the first cap to the larger of the present cap and the spend', () => {
  const resumed = { kind: 'resume', alternative: 1, dueAt: 50 };
  assert.deepEqual(answer('budget', OVER), { ...resumed, costUsdMax: 4 });
  const raised = executionOf(capped(2), attemptOf('run_1', OVER), requeued({ costUsdMax: 4 }));
  assert.deepEqual(answer('budget', OVER, { execution: raised }), { ...resumed, alternative: null, costUsdMax: 6 });
  assert.deepEqual(answer('budget', OVER, { firstCapUsd: null }), resumed);
});

test('yes above the cap of the day lifts that one and leaves the cap of the order', () => {
  const end: AttemptEnd = { kind: 'failed', code: 'budget-exceeded', message: '', claim: null, cap: 'day' };
  assert.deepEqual(answer('budget', end), { kind: 'resume', alternative: 1, dueAt: 50, isDayCapLifted: true });
});

test('yes to a quota waits for its reset', () => {
  const end = { kind: 'out-of-quota', account: null, until: 9_000, onQuota: 'wait' } as AttemptEnd;
  assert.deepEqual(answer('quota', end), { kind: 'resume', alternative: 1, dueAt: 9_000 });
});
