import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import {
  anAnswer,
  answered,
  collected,
  ELSEWHERE,
  ended,
  FINISHED,
  replayed,
  result,
  sent,
  snapshotted,
  taken,
  verified,
} from '../../../test/support/run/an-execution.ts';
import type { Fact } from '../execution/fact.ts';
import { nextStep } from '../execution/next-step.ts';
import type { ReceiverAnswer } from './receiver-answer.ts';

const order = anOrder({ remote: ELSEWHERE, checks: ['npm test'] });
const brought = (problem: string | null = null): Fact => ({ kind: 'brought', violations: [], problem, at: 3 });

function stepAfter(answer: Partial<ReceiverAnswer>, ...facts: readonly Fact[]) {
  return nextStep(replayed(order, [sent('evt_1'), taken('run_1'), answered('run_1', anAnswer(answer)), ...facts]));
}

function verdictAfter(answer: Partial<ReceiverAnswer>, ...facts: readonly Fact[]) {
  const step = stepAfter(answer, ...facts);
  assert.equal(step.kind, 'settle');
  return step.kind === 'settle' ? step.outcome.verdict : null;
}

/** The facts of a result that came with its files. */
function imported(verdict: 'checked' | 'unchecked' | 'failed', passed: 'passed' | 'failed'): readonly Fact[] {
  const elsewhere = { node: 'right', task: 'TASK-1', run: 'run_9', outcome: { verdict, code: null, message: verdict } };
  return [
    snapshotted({ workplace: { kind: 'worktree', folder: '/w', elsewhere }, commit: 'a' }),
    ended('run_1', FINISHED),
    collected('run_1', { commit: 'b' }),
    verified('run_1', [result('npm test', { result: passed })]),
    brought(),
  ];
}

const PARCEL = { parcel: {} };

test('an answer is brought here before it counts, and a failure where files come with it', () => {
  assert.equal(stepAfter({}).kind, 'bring');
  assert.equal(stepAfter(PARCEL).kind, 'bring');
  const failure = { verdict: 'failed', failureClass: 'execution_error' } as const;
  assert.equal(stepAfter({ ...failure, ...PARCEL }).kind, 'bring');
  assert.equal(stepAfter(failure).kind, 'settle');
});

test('a node that says that every check passed, and shows no work, has proved nothing', () => {
  assert.equal(verdictAfter({}, brought()), 'unchecked');
  assert.equal(verdictAfter({ verdict: 'partial' }, brought()), 'unchecked');
});

test('work that came with its signed findings has their verdict', () => {
  assert.equal(verdictAfter(PARCEL, ...imported('checked', 'passed')), 'checked');
});

test('a check of the order here that did not pass there is a failure, whatever the other node says', () => {
  assert.equal(verdictAfter(PARCEL, ...imported('checked', 'failed')), 'failed');
  assert.equal(verdictAfter(PARCEL, ...imported('failed', 'passed')), 'failed');
});

test('work that could not be brought here is not done', () => {
  assert.equal(verdictAfter(PARCEL, brought('its receipt is signed by another key')), 'failed');
});

test('a node is believed that it failed', () => {
  const failure = { verdict: 'failed', failureClass: 'timeout', code: 'timeout', message: 'too late' } as const;
  assert.equal(verdictAfter({ ...failure, ...PARCEL }, ...imported('checked', 'passed')), 'failed');
});
