import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../../test/support/test-clock.ts';
import { expiryAfter } from './now.ts';

test('an expiry stands on both clocks and names its boot', () => {
  const clock = new TestClock();
  const now = clock.now();
  assert.deepEqual(expiryAfter(now, 300_000), {
    bootId: now.bootId,
    monotonicMs: now.monotonicMs + 300_000,
    wallMs: now.wallMs + 300_000,
  });
});

test('the twin of the clock parts its two clocks only when told', () => {
  const clock = new TestClock();
  const before = clock.now();
  clock.step(10);
  clock.jumpWall(-3_600_000);
  const after = clock.now();
  assert.equal(after.monotonicMs - before.monotonicMs, 10);
  assert.equal(after.wallMs - before.wallMs, 10 - 3_600_000);
  clock.reboot();
  assert.notEqual(clock.now().bootId, before.bootId);
  assert.ok(clock.now().monotonicMs < before.monotonicMs);
});
