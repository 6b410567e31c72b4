import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followingId, readFollowing, storeFollowing } from './printed-lines.ts';

test('the lines after the first come back as they were stored', () => {
  const lines = ['a', '', '[REDACTED:jwt]', '\u001b[31mé "x"'].map((text, at) => ({ text, isMasked: at === 2, at }));
  const stored = storeFollowing(lines);
  assert.deepEqual(stored && readFollowing(stored), lines.slice(1));
  assert.equal(storeFollowing(lines.slice(0, 1)), null);
});

test('ids of lines differ, stay the same, and are UUIDs at the end of the range too', () => {
  const first = '0193b3a0-1111-7abc-8def-fffffffffffe';
  assert.deepEqual(
    [1, 2, 3].map((index) => followingId(first, index).slice(24)),
    ['ffffffffffff', '000000000000', '000000000001'],
  );
  assert.equal(followingId(first, 1), followingId(first, 1));
});
