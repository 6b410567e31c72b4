import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countText, durationText, moneyText, numberOf, shortened } from './format.ts';

test('durations have the unit that a person would say', () => {
  const cases = [400, 14_000, 59_600, 720_000, 12_000_000, 7_200_000, 90_000_000, 180_000_000];
  assert.deepEqual(cases.map(durationText), [
    '0.4 s',
    '14 s',
    '60 s',
    '12 min',
    '3 h 20 min',
    '2 h',
    '1 day',
    '2 days',
  ]);
});

test('money and tokens are short, and little is not nothing', () => {
  assert.deepEqual([0, 0.001, 0.41, 12.3].map(moneyText), ['$0.00', '<$0.01', '$0.41', '$12.30']);
  assert.deepEqual([812, 14_210, 250_400, 3_100_000].map(countText), ['812', '14.2k', '250k', '3.1M']);
});

test('a task is its number; a long name is cut in the middle', () => {
  assert.deepEqual(['TASK-2026-02-09-057', 'tsk_x'].map(numberOf), ['57', 'tsk_x']);
  assert.equal(shortened('src/a/very/long/path/money.ts', 15), 'src/a/v…oney.ts');
});
