import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLinear } from '../../../test/support/assert-linear.ts';
import { withoutSequences } from './control-sequences.ts';

const CASES: readonly (readonly [name: string, text: string, plain: string])[] = [
  ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
  ['a cursor move with intermediates', 'a\u001b[1 qb', 'ab'],
  ['a link (OSC 8), ended by BEL or by ST', '\u001b]8;;http://x\u0007a\u001b]8;;\u001b\\b', 'ab'],
  ['the clipboard (OSC 52)', 'a\u001b]52;c;aGk=\u0007b', 'ab'],
  ['a device control string', 'a\u001bPq#0\u001b\\b', 'ab'],
  ['a character set and a reset', 'a\u001b(B\u001bcb', 'ab'],
  ['a text without any', 'plain', 'plain'],
];

for (const [name, text, plain] of CASES) {
  test(`a text loses ${name}`, () => assert.equal(withoutSequences(text), plain));
}

test('a sequence that has no end on its line stays', () => {
  for (const text of ['\u001b]0;title', '\u001b]0;title\nnext\u0007', '\u001b[31', 'end\u001b', '\u001b[31\u001b'])
    assert.equal(withoutSequences(text), text);
  assert.equal(withoutSequences('\u001b]0;\u001b[31mred\u0007'), '\u001b]0;red\u0007');
});

for (const part of ['\u001b]', '\u001b[', '\u001b', '\u001b]0;a', '\u001b[1', '\u001bP', '\u001b ', '\u001b[31m']) {
  test(`a text of ${JSON.stringify(part)} alone is read in linear time`, () => assertLinear(withoutSequences, part));
}
