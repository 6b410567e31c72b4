import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colouredParts } from './terminal-colours.ts';

const text = (line: string) =>
  colouredParts(line)
    .map(({ content }) => content)
    .join('');

test('colours become classes, and the text stays', () => {
  const parts = colouredParts('a \u001b[1;31mFAIL\u001b[0m <b>');
  assert.deepEqual(
    parts.map(({ content }) => content),
    ['a ', 'FAIL', ' <b>'],
  );
  assert.equal(parts[1]?.classes, 'fg ansi-fg-red ansi-bold');
});

test('titles, links, clipboards and moves of the cursor are left out', () => {
  for (const [line, expected] of [
    ['\u001b]0;title\u0007shown', 'shown'],
    ['\u001b]8;;javascript:alert(1)\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001b]52;c;aGk=\u0007x', 'x'],
    ['\u001b[2J\u001b[Hclear', 'clear'],
    ['\u001bPq#0\u001b\\sixel', 'sixel'],
    ['progress 10%\rprogress 90%', 'progress 90%'],
  ] as const)
    assert.equal(text(line), expected);
});

test('other controls and marks of direction are shown by name', () => {
  assert.equal(text('a\u202eb\u0008c'), 'a⟨U+202E⟩b⟨U+0008⟩c');
  assert.equal(text('\u001b[31ma\u202eb\u001b[0m'), 'a⟨U+202E⟩b');
});
