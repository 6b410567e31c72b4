import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from './clock.ts';

test('both clocks go on, and the boot has a name that stays', () => {
  const clock = systemClock();
  const first = clock.now();
  const second = systemClock().now();
  assert.ok(second.monotonicMs >= first.monotonicMs);
  assert.ok(Math.abs(second.wallMs - Date.now()) < 1_000);
  assert.equal(second.bootId, first.bootId);
  assert.ok(Number.isInteger(first.monotonicMs));
});
