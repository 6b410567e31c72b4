import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskWritten, maskWrittenValue, restoreMasked } from './mask-written.ts';

const TOKEN = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4xY7z'}`;

test('known formats are masked, random-looking text is not', () => {
  assert.equal(maskWritten(`use ${TOKEN}`), 'use [REDACTED:github_token]');
  const random = 'the id is q8Zr2Lw5Tn1Vx7Kp3Hs9Bd4Mc6Gf0J';
  assert.equal(maskWritten(random), random);
  assert.deepEqual(maskWrittenValue({ a: [TOKEN, 1, null] }), { a: ['[REDACTED:github_token]', 1, null] });
});

test('an edit of the masked text keeps the secrets of the lines that it left alone', () => {
  const original = `one\nkey: ${TOKEN}\nthree`;
  const edited = maskWritten(original).replace('three', 'four');
  assert.equal(restoreMasked(edited, original), `one\nkey: ${TOKEN}\nfour`);
  assert.equal(restoreMasked('one\nkey: none', original), 'one\nkey: none');
});
