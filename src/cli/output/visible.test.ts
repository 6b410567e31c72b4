import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printedLine, visible, visibleLines } from './visible.ts';

const CASES: readonly (readonly [name: string, text: string, shown: string])[] = [
  ['a colour', '\u001b[31mred', '\\u001b[31mred'],
  ['the clipboard (OSC 52)', '\u001b]52;c;aGk=\u0007', '\\u001b]52;c;aGk=\\u0007'],
  ['a link (OSC 8)', '\u001b]8;;javascript:x\u001b\\', '\\u001b]8;;javascript:x\\u001b\\'],
  ['an 8-bit control (C1)', '\u009b2J', '\\u009b2J'],
  ['a device control string', '\u0090q\u009c', '\\u0090q\\u009c'],
  ['going back over what stands there', 'no\rok\b\u007f', 'no\\u000dok\\u0008\\u007f'],
  ['a line break', 'a\nb', 'a\\u000ab'],
  ['a change of direction', 'a\u202eb\u2066c\u061c', 'a\\u202eb\\u2066c\\u061c'],
  ['what has no width', 'a\u200bb\ufeff\u2060', 'a\\u200bb\\ufeff\\u2060'],
  ['a joiner that hides in a name', 'ro\u200dot', 'ro\\u200dot'],
  ['separators of lines', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
  ['tags', '\u{e0041}', '\\u{e0041}'],
  ['half a character', '\ud800', '\\ud800'],
  ['letters of many scripts', 'Grüße 你好 می‌خواهم 👩‍💻', 'Grüße 你好 می‌خواهم 👩‍💻'],
];

for (const [name, text, shown] of CASES) {
  test(`on the terminal ${name} is text and nothing else`, () => assert.equal(visible(text), shown));
}

test('output loses its colours and links, and nothing of it controls the terminal', () => {
  const text = '\u001b[1;31mFAIL\u001b[0m \u001b]8;;http://x/\u0007a.ts\u001b]8;;\u0007 \u001b[2J\u009b31m\u001b]0;t';
  assert.equal(printedLine(text), 'FAIL a.ts \\u009b31m\\u001b]0;t');
  assert.equal(visibleLines(`${text}\n${text}`), 'FAIL a.ts \\u009b31m\\u001b]0;t\nFAIL a.ts \\u009b31m\\u001b]0;t');
});

test('a text of several lines keeps its lines and tabs', () => {
  assert.equal(visibleLines('a\r\nb\tc\u001b\rd'), 'a\nb\tc\\u001b\\u000dd');
});
