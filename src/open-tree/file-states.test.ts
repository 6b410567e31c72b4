import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../../test/support/test-clock.ts';
import { SeenFiles } from './file-states.ts';

function begin() {
  const clock = new TestClock();
  const now = clock.now().wallMs;
  const stamp = { ino: 1, size: 2, mtimeMs: now - 60_000, ctimeMs: now - 60_000 };
  const written = new Map<string, Omit<typeof stamp, 'ctimeMs'>>();
  const writtenAt = (path: string) => written.get(path);
  return { clock, now, stamp, written, seen: new SeenFiles(clock, { writtenAt }) };
}

test('a file that was read is known by all of its stamp', () => {
  const { seen, stamp } = begin();
  seen.remember('a', stamp);
  assert.ok(seen.has('a', stamp));
  for (const more of [{ ino: 9 }, { size: 9 }, { mtimeMs: 9 }, { ctimeMs: 9 }])
    assert.ok(!seen.has('a', { ...stamp, ...more }));
  assert.ok(!seen.has('b', stamp));
});

test('a file that was changed just now is read again: its stamp could stay the same', () => {
  const { seen, stamp, now } = begin();
  const fresh = { ...stamp, ctimeMs: now - 1_000 };
  seen.remember('a', fresh);
  assert.ok(!seen.has('a', fresh));
});

test('what the mirror wrote is known wherever its rename changed the time of', () => {
  const { seen, stamp, written, now } = begin();
  const { ctimeMs: _, ...asWritten } = stamp;
  written.set('a', asWritten);
  assert.ok(seen.has('a', { ...stamp, ctimeMs: now }));
  assert.ok(!seen.has('a', { ...stamp, mtimeMs: now }));
});

test('after a look what was changed before it is believed, what was changed since is not', () => {
  const { seen, stamp, now } = begin();
  seen.trustBefore(now);
  assert.ok(seen.has('a', stamp));
  assert.ok(!seen.has('a', { ...stamp, ctimeMs: now - 1_000 }));
  assert.ok(!seen.has('a', { ...stamp, mtimeMs: now + 1 }));
  seen.trustBefore(0);
  assert.ok(!seen.has('a', stamp));
});

test('a look in the future, as before the clock was set back, is not believed', () => {
  const { seen, stamp, clock } = begin();
  const { wallMs } = clock.now();
  clock.jumpWall(-3_600_000);
  seen.trustBefore(wallMs);
  assert.ok(!seen.has('a', { ...stamp, ctimeMs: 0, mtimeMs: 0 }));
});
