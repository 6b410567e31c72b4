import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Allowance, takeCall } from './allowance.ts';

const RATE = { max: 5, perSecond: 2 };

test('so many calls are free at once, then they come back with time', () => {
  let allowance: Allowance | null = null;
  const take = (nowMs: number) => {
    const taken = takeCall(allowance, RATE, nowMs);
    allowance = taken.allowance;
    return taken;
  };
  assert.deepEqual(
    Array.from({ length: 6 }, () => take(0).isTaken),
    [true, true, true, true, true, false],
  );
  const { waitMs } = take(0);
  assert.equal(waitMs, 500);
  assert.equal(take(499).isTaken, false);
  assert.equal(take(500).isTaken, true);
  assert.deepEqual(
    Array.from({ length: 6 }, () => take(3_600_000).isTaken),
    [true, true, true, true, true, false],
  );
});
