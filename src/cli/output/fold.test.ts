import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMANDS } from '../command-lists/command-list.ts';
import { fold, foldHelp, widthOf } from './fold.ts';
import { commandHelp, familyHelp, overview } from './help.ts';
import { styleFor } from './style.ts';

const { bad, faint } = styleFor(0, true);

const CASES: readonly (readonly [name: string, line: string, folded: readonly string[]])[] = [
  ['a line that fits', 'task    one two three', ['task    one two three']],
  ['a line behind its label', 'checks  one two three four', ['checks  one two three', '        four']],
  ['a line below another', '        one two three four', ['        one two three', '        four']],
  ['output of an agent', '        │ one two three', ['        │ one two', '        │ three']],
  ['what an agent says', '  │ one two three four five', ['  │ one two three', '  │ four five']],
  ['a check', '  ✗ one two three four five', ['  ✗ one two three', '    four five']],
  ['a verdict of two words', 'needs you  one two three', ['needs you  one two', '           three']],
  ['what to type next', 'next: baton undo TASK  put', ['next: baton undo TASK', '      put']],
  ['a word that is longer than a line', `checks  ${'x'.repeat(30)} y`, [`checks  ${'x'.repeat(30)}`, '        y']],
  ['a line of one long word', 'x'.repeat(30), ['x'.repeat(30)]],
  ['letters of double width', '你好你好你好 你好你好你好', ['你好你好你好', '你好你好你好']],
  ['nothing', '', ['']],
];

for (const [name, line, folded] of CASES) {
  test(`in 21 columns, broken between words: ${name}`, () => assert.deepEqual(fold(line, 21).split('\n'), folded));
}

test('what a flag is for stands in one column', () => {
  const line = `  ${'--net PRESET'.padEnd(26)} hosts it may reach`;
  assert.equal(fold(line, 45), `  ${'--net PRESET'.padEnd(26)} hosts it may\n${' '.repeat(29)}reach`);
});

test('colours take no room and are kept', () => {
  const line = `${bad('failed')}  ${faint('one two')} three`;
  assert.equal(widthOf(line), 'failed  one two three'.length);
  assert.equal(fold(line, 21), line);
  assert.equal(fold(line, 16), `${bad('failed')}  ${faint('one two')}\n        three`);
});

test('without a terminal nothing is broken', () => {
  const line = 'word '.repeat(100);
  assert.equal(fold(line, Number.POSITIVE_INFINITY), line);
});

const PAGES: (readonly [name: string, text: () => Promise<string>])[] = [['', async () => overview('1.0.0')]];
for (const entry of COMMANDS) {
  if (!('verbs' in entry)) PAGES.push([entry.name, async () => commandHelp(await entry.load())]);
  else {
    PAGES.push([entry.name, async () => familyHelp(entry)]);
    for (const verb of entry.verbs)
      PAGES.push([`${entry.name} ${verb.name}`, async () => commandHelp(await verb.load())]);
  }
}

for (const [name, text] of PAGES) {
  test(`baton ${name} --help fits into 80 columns, and is the same words`, async () => {
    const page = await text();
    const folded = foldHelp(page, 80);
    const words = (all: string) => all.split(/\s+/);
    assert.deepEqual(words(folded), words(page));
    const lines = folded.split('\n');
    // An example is to be pasted.
    const last = lines.indexOf('Examples');
    assert.deepEqual(
      lines.slice(0, last).filter((line) => line.length > 80),
      [],
    );
    assert.equal(foldHelp(page, Number.POSITIVE_INFINITY), page);
  });
}
