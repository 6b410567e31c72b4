import assert from 'node:assert/strict';
import { it } from 'node:test';
import { failureOfAopCode } from './words.ts';

it('a text names a code of the taxonomy or none, whatever an object inherits', () => {
  assert.equal(failureOfAopCode('E_TIMEOUT'), 'timeout');
  for (const text of ['', 'E_NONE', 'no_route', 'toString', 'constructor', '__proto__'])
    assert.equal(failureOfAopCode(text), null);
});
