import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonLine } from './json-line.ts';

test('no control character is raw in a line of JSON, and the value is the same', () => {
  const every = Array.from({ length: 0xa1 }, (_, code) => String.fromCharCode(code)).join('');
  const line = jsonLine({ [every]: [every] });
  assert.doesNotMatch(line, /\p{Cc}/u);
  assert.match(line, /\\u0080.*\\u009f/);
  assert.deepEqual(JSON.parse(line), { [every]: [every] });
});
