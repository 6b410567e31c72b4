import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedbackItemView } from '../../api/feedback-contract.ts';
import { itemLines } from './feedback-text.ts';
import { foldLines } from './lines.ts';
import { styleFor } from './style.ts';

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
