import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CheckChange, compareChecks } from './compare-checks.ts';
import type { CheckOutcome } from './judge-expectation.ts';

const TABLE: ReadonlyArray<readonly [before: CheckOutcome | null, after: CheckOutcome, change: CheckChange]> = [
  ['passed', 'passed', 'passed'],
  ['passed', 'failed', 'new failure'],
  ['passed', 'could-not-run', 'new failure'],
  ['failed', 'passed', 'fixed'],
  ['failed', 'failed', 'still failing'],
  ['failed', 'could-not-run', 'still failing'],
  ['could-not-run', 'passed', 'fixed'],
  ['could-not-run', 'failed', 'still failing'],
  ['could-not-run', 'could-not-run', 'same as before'],
  [null, 'passed', 'passed'],
  [null, 'failed', 'new failure'],
  [null, 'could-not-run', 'new failure'],
];

for (const [before, after, change] of TABLE) {
  test(`a check that ${before ?? 'was not made'} before and ${after} after the run: ${change}`, () => {
    const earlier = before === null ? [] : [{ id: 'a', result: before }];
    assert.deepEqual(compareChecks(earlier, [{ id: 'a', result: after }]), [{ id: 'a', before, after, change }]);
  });
}

test('each is compared with its own, in the order they were made after the run', () => {
  const before = [
    { id: 'a', result: 'passed' },
    { id: 'b', result: 'failed' },
    { id: 'gone', result: 'passed' },
  ] as const;
  const after = [
    { id: 'b', result: 'passed' },
    { id: 'a', result: 'passed' },
  ] as const;
  assert.deepEqual(
    compareChecks(before, after).map(({ id, change }) => `${id} ${change}`),
    ['b fixed', 'a passed'],
  );
});

test('two of one id are compared with their own', () => {
  const before = [
    { id: 'a', result: 'failed' },
    { id: 'a', result: 'passed' },
  ] as const;
  const after = [
    { id: 'a', result: 'passed' },
    { id: 'a', result: 'failed' },
  ] as const;
  assert.deepEqual(
    compareChecks(before, after).map(({ change }) => change),
    ['fixed', 'new failure'],
  );
});
