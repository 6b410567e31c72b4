import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIGNALS, STATES } from '../order/record-words.ts';
import { WORK_VERDICTS, type WorkJudgement, type WorkVerdict } from '../order/work-verdict.ts';
import { type JudgedState, settledWord, stateWord, type VerdictWord, verdictWord } from './verdict-words.ts';

const WORDS: readonly (readonly [Partial<WorkJudgement<WorkVerdict>>, VerdictWord])[] = [
  [{ verdict: 'checked' }, 'checked'],
  [{ verdict: 'unchecked' }, 'unchecked'],
  [{ verdict: 'partial' }, 'partial'],
  [{ verdict: 'failed' }, 'failed'],
  [{ verdict: 'aborted' }, 'aborted'],
  [{ verdict: 'aborted', stoppedBy: 'anna' }, 'stopped'],
  [{ verdict: 'aborted', isSkipped: true }, 'skipped'],
  [{ verdict: 'failed', stoppedBy: 'anna' }, 'failed'],
];

for (const [judged, word] of WORDS) {
  const { verdict = 'checked', isSkipped = false, stoppedBy = null } = judged;
  test(`${JSON.stringify(judged)} is ${word}, and its event says the same`, () => {
    assert.equal(verdictWord({ verdict, isSkipped, stoppedBy }), word);
    const isUnchecked = verdict === 'unchecked';
    assert.equal(settledWord({ signal: SIGNALS[verdict], isUnchecked, isSkipped, stoppedBy }), word);
  });
}

test('the event of an older Baton has its verdict, and a word of a newer one is no verdict', () => {
  assert.equal(settledWord({ signal: 'ABORTED', isUnchecked: false }), 'aborted');
  assert.equal(settledWord({ signal: 'SHELVED' }), null);
});

const STATES_IN_WORDS: readonly (readonly [Partial<JudgedState>, string])[] = [
  [{ state: 'PENDING' }, 'waiting'],
  [{ state: 'IN_PROGRESS' }, 'running'],
  [{ state: 'IN_PROGRESS', stoppedBy: 'anna' }, 'stopping'],
  [{ state: 'IN_PROGRESS', stoppedBy: 'anna', isInterrupted: true }, 'interrupted'],
  [{ state: 'PENDING', isInterrupted: true }, 'interrupted'],
  [{ state: 'COMPLETED', verdict: 'unchecked' }, 'unchecked'],
  [{ state: 'ABORTED', verdict: 'aborted', stoppedBy: 'anna' }, 'stopped'],
  [{ state: 'ABORTED', verdict: 'aborted' }, 'aborted'],
  [{ state: 'SKIPPED', verdict: 'aborted' }, 'skipped'],
];

for (const [given, word] of STATES_IN_WORDS) {
  test(`a session or a task of one that is ${JSON.stringify(given)} is ${word}`, () => {
    assert.equal(stateWord({ state: STATES.waiting, verdict: null, stoppedBy: null, ...given }), word);
  });
}

test('every verdict has one word', () => {
  const words = WORK_VERDICTS.map((verdict) => verdictWord({ verdict, isSkipped: false, stoppedBy: null }));
  assert.equal(new Set(words).size, WORK_VERDICTS.length);
});
