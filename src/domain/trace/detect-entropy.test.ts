import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectEntropy, detectFailures, type SeenStep, type SeenTurn } from './detect-entropy.ts';

function observed(...observations: readonly string[]): SeenTurn[] {
  return observations.map((observation, index) => ({ index, observation, confidence: 0.9 }));
}

function confident(...figures: readonly number[]): SeenTurn[] {
  return figures.map((confidence, index) => ({ index, observation: `${index}`, confidence }));
}

const PIVOT = { rule: 'repetition', action: 'pivot' } as const;

test('three equal observations in a row ask for a pivot, once, and empty ones never', () => {
  assert.deepEqual(detectEntropy(observed('a', 'a')), []);
  assert.deepEqual(detectEntropy(observed('a', 'a', 'a')), [{ ...PIVOT, turns: [0, 1, 2] }]);
  assert.deepEqual(detectEntropy(observed('b', 'a', 'a', 'a')), [{ ...PIVOT, turns: [1, 2, 3] }]);
  assert.deepEqual(detectEntropy(observed('a', 'a', 'a', 'a')), []);
  assert.deepEqual(detectEntropy(observed('a', 'b', 'a', 'a')), []);
  assert.deepEqual(detectEntropy(observed('', '', '')), []);
});

const CASES: readonly (readonly [figures: readonly number[], isFound: boolean, why: string])[] = [
  [[0.9, 0.8, 0.7], false, 'too few, too high'],
  [[0.7, 0.65, 0.6, 0.49], true, 'three falls, below a half'],
  [[0.7, 0.65, 0.6, 0.5], false, 'a half is not below it'],
  [[0.7, 0.6, 0.6, 0.4], false, 'one turn did not fall'],
  [[0.9, 0.5], true, 'a fall by 0.4'],
  [[0.9, 0.51], false, 'a fall by less'],
  [[0.9, 0.95, 0.9, 0.55], true, 'a fall by 0.4 within four turns'],
  [[0.95, 0.9, 0.8, 0.7, 0.55], false, 'within five turns'],
  [[0.5, 0.5, 0.5, 0.5], false, 'an agent that reports none'],
];

for (const [figures, isFound, why] of CASES) {
  test(`confidence ${figures.join(', ')}: ${why}`, () => {
    const found = detectEntropy(confident(...figures));
    assert.deepEqual(
      found.map(({ rule, action }) => [rule, action]),
      isFound ? [['confidence', 'escalate']] : [],
    );
  });
}

test('a fall that goes on is found once, with the figures as evidence', () => {
  const [found] = detectEntropy(confident(0.7, 0.65, 0.6, 0.49));
  assert.ok(found?.rule === 'confidence');
  assert.deepEqual(
    [found.turns, found.confidence],
    [
      [0, 1, 2, 3],
      [0.7, 0.65, 0.6, 0.49],
    ],
  );
  assert.deepEqual(detectEntropy(confident(0.7, 0.65, 0.6, 0.49, 0.45)), []);
});

/** `t` a turn, `f` a failed call, `s` one that succeeded; oldest first. */
function steps(text: string): SeenStep[] {
  const step = { t: { kind: 'turn' }, f: { kind: 'return', isSuccess: false }, s: { kind: 'return', isSuccess: true } };
  return [...text].map((letter) => step[letter as keyof typeof step] as SeenStep).reverse();
}

test('the fifth failed turn in a row pauses, whether calls come before or after their turn', () => {
  for (const text of ['ftftftftf', 'tftftftftf', 'tsftftftsftf', 'stttftftftftf']) {
    assert.deepEqual(detectFailures(steps(text)), { rule: 'failures', action: 'pause', failedTurns: 5 }, text);
  }
  for (const text of ['tftftftf', 'tftftftsstf', 'tftftftftff', 'tftftftftftf', 'ftftftfts', 'f', 'fffff', '']) {
    assert.equal(detectFailures(steps(text)), null, text);
  }
});
