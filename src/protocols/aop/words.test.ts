import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aopCodeOf } from './words.ts';

it('a text names a code of the taxonomy or none, whatever an object inherits', () => {
  assert.equal(aopCodeOf('E_TIMEOUT'), 'E_TIMEOUT');
  for (const text of ['', 'E_NONE', 'no_route', 'toString', 'constructor', '__proto__'])
    assert.equal(aopCodeOf(text), null);
});
