import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shorten, shortenWithin } from './shorten.ts';

test('a text that fits stays as it is', () => {
  assert.equal(shorten('four', 4), 'four');
  assert.equal(shortenWithin('four', 4), 'four');
  assert.equal(shortenWithin('😀😀😀😀', 4), '😀😀😀😀');
});

test('the ellipsis comes after the first characters, or counts among them', () => {
  assert.equal(shorten('longer', 4), 'long…');
  assert.equal(shortenWithin('longer', 4), 'lon…');
  assert.equal(shortenWithin('😀😀😀😀😀', 4), '😀😀😀…');
  assert.equal(shortenWithin('x'.repeat(10_000_000), 4), 'xxx…');
});
