import assert from 'node:assert/strict';
import { it } from 'node:test';
import { byteLength, isLargerThan, withoutLineEnd } from './text-size.ts';

it('bytes are those of UTF-8', () => {
  assert.deepEqual(['', 'a', 'é', '€', '😀', '\ud800'].map(byteLength), [0, 1, 2, 3, 4, 3]);
});

it('a text is larger only from the first byte above', () => {
  for (const character of ['a', 'é', '€', '😀']) {
    const text = character.repeat(100);
    const bytes = byteLength(text);
    assert.deepEqual(
      [bytes - 1, bytes, bytes + 1].map((max) => isLargerThan(text, max)),
      [true, false, false],
      character,
    );
  }
});

it('one line end belongs to the file', () => {
  assert.deepEqual(['a', 'a\n', 'a\r\n', 'a\n\n', '\n', '', 'a\r'].map(withoutLineEnd), [
    'a',
    'a',
    'a',
    'a\n',
    '',
    '',
    'a\r',
  ]);
});
