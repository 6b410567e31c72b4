import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeProof, type ProofClaims } from './judge-proof.ts';

const NOW = 1_770_000_000;
const URL = 'http://127.0.0.1:4711/v1/external/invoke';
const CLAIMS: ProofClaims = { jti: 'j', htm: 'POST', htu: URL, iat: NOW, nonce: 'n', ath: 'hash' };
const REQUEST = { method: 'POST', url: URL, tokenHash: 'hash' };
const DAY = 86_400;

function verdict(
  claims: Partial<ProofClaims>,
  nonceAgeMs: number | null = 1_000,
  request: Partial<typeof REQUEST> = {},
) {
  const time = { nowMs: NOW * 1_000, nonceAgeMs };
  return judgeProof({ ...CLAIMS, ...claims }, { ...REQUEST, ...request }, time).kind;
}

test('a proof is for one method, one address and one access token', () => {
  assert.equal(verdict({}), 'right');
  for (const htm of ['GET', 'post', 'POST ', '']) assert.equal(verdict({ htm }), 'wrong', htm);
  for (const htu of [`${URL}/`, URL.replace('4711', '4712'), URL.replace('http', 'https'), '/v1/external/invoke', 'x'])
    assert.equal(verdict({ htu }), 'wrong', htu);
  for (const htu of [`${URL}?a#b`, URL.replace('invoke', '%69nvoke'), URL.replace('http', 'HTTP')])
    assert.equal(verdict({ htu }), 'right', htu);
  for (const ath of [null, 'other', '']) assert.equal(verdict({ ath }), 'wrong', String(ath));
  assert.equal(
    judgeProof({ ...CLAIMS, ath: null }, { ...REQUEST, tokenHash: null }, { nowMs: NOW * 1_000, nonceAgeMs: 0 }).kind,
    'right',
  );
});

test('a mismatch is told before a nonce is asked for', () => {
  assert.equal(verdict({ htm: 'GET' }, null), 'wrong');
});

test('a nonce of this server is needed', () => {
  assert.equal(verdict({}, null), 'needs-nonce');
});

test('a proof lives sixty seconds by its own time, while its nonce counts', () => {
  const old = 9 * 60_000;
  for (const [seconds, kind] of [
    [-60, 'right'],
    [60, 'right'],
    [-61, 'needs-nonce'],
    [61, 'needs-nonce'],
  ] as const)
    assert.equal(verdict({ iat: NOW + seconds }, old), kind, String(seconds));
});

test('with a wrong clock it lives sixty seconds by the time in its nonce', () => {
  for (const off of [-DAY, DAY, 400 * DAY]) {
    assert.equal(verdict({ iat: NOW + off }, 60_000), 'right');
    assert.equal(verdict({ iat: NOW + off }, 60_001), 'needs-nonce');
    assert.equal(verdict({ iat: NOW + off }, null), 'needs-nonce');
  }
});
