import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLinear } from '../../../test/support/assert-linear.ts';
import { withoutEdges, withoutEnd } from './without-end.ts';

test('a text loses the characters of a set at its end, or at both', () => {
  assert.equal(withoutEnd('a/b//', '/'), 'a/b');
  assert.equal(withoutEnd('//', '/'), '');
  assert.equal(withoutEdges('--a-b-', '-'), 'a-b');
  assert.equal(withoutEdges('ab', '-'), 'ab');
});

test('a long run of them in the middle costs no more than other text', () => {
  assertLinear((text) => withoutEdges(text, '/'), '/', { before: 'a', after: 'b' });
});
