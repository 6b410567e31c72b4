import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearWord } from './near-word.ts';

const WORDS = ['run', 'logs', 'status', 'check', '--worktree', '--net'];

const CASES: readonly (readonly [typed: string, meant: string | null])[] = [
  ['run', 'run'],
  ['rnu', 'run'],
  ['rn', 'run'],
  ['RUNN', 'run'],
  ['rum', 'run'],
  ['rim', null],
  ['lgos', 'logs'],
  ['statsu', 'status'],
  ['sttus', 'status'],
  ['stts', 'status'],
  ['stat', 'status'],
  ['sta', null],
  ['chekc', 'check'],
  ['--nett', '--net'],
  ['--work-tree', '--worktree'],
  ['zzz', null],
  ['', null],
];

for (const [typed, meant] of CASES) {
  test(`${JSON.stringify(typed)} means ${meant ?? 'nothing that is there'}`, () => {
    assert.equal(nearWord(typed, WORDS), meant);
  });
}

test('of two that are near the nearer one is meant', () => {
  assert.equal(nearWord('emna', ['anna', 'emma']), 'emma');
  assert.equal(nearWord('x', []), null);
});
