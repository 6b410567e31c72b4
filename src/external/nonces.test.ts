import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NONCE_SLOT_MS } from '../domain/external/external-limits.ts';
import { Nonces } from './nonces.ts';

const NOW = 1_770_000_000_000 - (1_770_000_000_000 % NONCE_SLOT_MS);
const nonces = new Nonces(Buffer.alloc(32, 1));

test('a nonce counts in its own five minutes and in the next', () => {
  const nonce = nonces.make(NOW + 1_000);
  assert.equal(nonces.ageOf(nonce, NOW + 1_000), 0);
  assert.equal(nonces.ageOf(nonce, NOW + 61_000), 60_000);
  assert.equal(nonces.ageOf(nonce, NOW + 2 * NONCE_SLOT_MS - 1), 2 * NONCE_SLOT_MS - 1_001);
  assert.equal(nonces.ageOf(nonce, NOW + 2 * NONCE_SLOT_MS), null);
});

test('a nonce of another node, a changed one and one of the future are none', () => {
  const nonce = nonces.make(NOW);
  assert.equal(new Nonces(Buffer.alloc(32, 2)).ageOf(nonce, NOW), null);
  for (let at = 0; at < nonce.length; at++) {
    const changed = `${nonce.slice(0, at)}${nonce[at] === 'A' ? 'B' : 'A'}${nonce.slice(at + 1)}`;
    assert.equal(nonces.ageOf(changed, NOW), null, changed);
  }
  for (const text of ['', 'x', `${nonce}AA`, `${nonce}x`, ` ${nonce}`, nonce.slice(2)])
    assert.equal(nonces.ageOf(text, NOW), null, text);
  assert.equal(nonces.ageOf(nonce, NOW - 60_000), null);
  assert.equal(nonces.ageOf(nonce, NOW - 1_000), 0);
});
