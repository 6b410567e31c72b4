import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANSWER_TEXT_CHARACTERS_MAX } from '../../domain/federation/federation-limits.ts';
import { shorten } from '../../domain/words/shorten.ts';
import type { TaskCompleteEnvelope, TaskFailedEnvelope } from '../../protocols/runtime/schema/events.ts';
import { answerOfCompletion, answerOfFailure } from './read-answer.ts';

const OUTCOME = {
  verdict: 'checked',
  code: null,
  message: 'two checks pass',
  summary: 'renamed it',
  before: [],
  after: [],
  spend: { costUsd: 0.5, tokensInput: 10, tokensOutput: 5 },
  model: null,
};

function completed(payload: object) {
  return answerOfCompletion({ payload } as TaskCompleteEnvelope);
}

function failed(payload: object) {
  return answerOfFailure({ payload } as TaskFailedEnvelope);
}

test('a result counts as unchecked unless its node tells an outcome that fits', () => {
  assert.equal(completed({ resultSummary: 'done' }).verdict, 'unchecked');
  assert.equal(completed({ x_outcome: { ...OUTCOME, spend: 'much' } }).verdict, 'unchecked');
  assert.equal(completed({ x_outcome: OUTCOME }).verdict, 'checked');
  assert.equal(completed({ x_outcome: { ...OUTCOME, verdict: 'failed' } }).verdict, 'unchecked');
});

test('the words of a result come from its outcome, else from its summary, and are bounded', () => {
  const told = completed({ x_outcome: OUTCOME, resultSummary: 'other words' });
  assert.deepEqual([told.message, told.summary, told.spend.costUsd], ['two checks pass', 'renamed it', 0.5]);
  assert.equal(completed({}).message, 'completed');
  const resultSummary = 'x'.repeat(2 * ANSWER_TEXT_CHARACTERS_MAX);
  assert.equal(completed({ resultSummary }).summary, shorten(resultSummary, ANSWER_TEXT_CHARACTERS_MAX));
});

test('the files and the output of a result are taken as they came', () => {
  const { output, parcel, resultRef } = completed({
    x_output: [1],
    x_result: { version: 9 },
    resultRef: 'artifact://a',
  });
  assert.deepEqual({ output, parcel, resultRef }, { output: [1], parcel: { version: 9 }, resultRef: 'artifact://a' });
  assert.equal('output' in completed({}), false);
});

test('a failure without an outcome has the code of its class', () => {
  const { verdict, code, failureClass, message } = failed({ failureClass: 'timeout', errorSummary: '' });
  assert.deepEqual(
    { verdict, code, failureClass, message },
    { verdict: 'failed', code: 'timeout', failureClass: 'timeout', message: 'timeout' },
  );
  assert.equal(failed({ failureClass: 'no such class' }).failureClass, 'unknown');
});

test('only a failure that is no timeout may be told as aborted', () => {
  const aborted = { ...OUTCOME, verdict: 'aborted' };
  assert.equal(failed({ failureClass: 'policy_blocked', x_outcome: aborted }).verdict, 'aborted');
  assert.equal(failed({ failureClass: 'timeout', x_outcome: aborted }).verdict, 'failed');
  assert.equal(failed({ failureClass: 'policy_blocked', x_outcome: OUTCOME }).verdict, 'failed');
});
