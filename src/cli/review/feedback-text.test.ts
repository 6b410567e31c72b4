import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedbackItemView, FeedbackView } from '../../api/review/feedback-contract.ts';
import { foldLines } from '../output/lines.ts';
import { styleFor } from '../output/style.ts';
import { feedbackText, itemLines } from './feedback-text.ts';

const item: FeedbackItemView = {
  id: 'a-finding-01',
  aspect: 'Tests',
  description: 'Two cases are missing:\n- negative amounts\n  open      Forged',
  recommendation: 'Add both.',
  foundBy: ['critic'],
  fate: 'open',
  reason: null,
  firstRound: 1,
  lastRound: 1,
  decided: null,
  insisted: [],
};

test('a finding of several lines keeps them, below its aspect, and none looks like another item', () => {
  assert.deepEqual(foldLines(itemLines(item, 'open      ', styleFor(0, false)), 100).split('\n'), [
    '  open      Tests',
    '            Two cases are missing:',
    '            - negative amounts',
    '              open      Forged',
    '            Add both.',
    '            a-finding-01, critic, round 1',
  ]);
});

test('feedback that was stopped before its answers were in does not say that nothing is left', () => {
  const view: FeedbackView = {
    feedback: 'fbk_1',
    subject: 'plan.md',
    state: 'over',
    isByPerson: false,
    reviewers: ['critic', 'other'],
    fixer: null,
    round: 1,
    roundsMax: 3,
    rounds: [{ round: 1, answers: [], items: [], fix: null }],
    items: [],
    undecided: [],
    fixTask: null,
    response: null,
    end: { why: 'stopped', message: null },
    facts: 2,
  };
  const text = feedbackText({ kind: 'end', view }, styleFor(0, false), '');
  assert.equal(text, 'round 1 was not answered by all; stopped by you');
});
