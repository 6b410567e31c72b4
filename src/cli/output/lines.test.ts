import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMANDS } from '../command-list.ts';
import { commandHelp, familyHelp, overview } from './help.ts';
import { behind, foldLines, type Line, line, nextLine, widthOf } from './lines.ts';
import { styleFor } from './style.ts';

const { bad, faint } = styleFor(0, true);

const CASES: readonly (readonly [name: string, given: Line, folded: readonly string[]])[] = [
  ['a line that fits', line('one two three', 'task    '), ['task    one two three']],
  ['a line behind its label', line('one two three four', 'checks  '), ['checks  one two three', '        four']],
  ['a line without a label', line('one two three four five'), ['one two three four', 'five']],
  ['output of an agent', line('one two three', '  │ ', '  │ '), ['  │ one two three']],
  ['more output', line('one two three four five', '  │ ', '  │ '), ['  │ one two three', '  │ four five']],
  ['a command that fits', nextLine('baton up'), ['next: baton up']],
  ['a command and its note', nextLine('baton up', 'begin'), ['next: baton up  begin']],
  ['a command, its note below', nextLine('baton undo TASK', 'put'), ['next: baton undo TASK', '      put']],
  ['a command longer than a line', nextLine(`baton undo ${'x'.repeat(30)}`), [`next: baton undo ${'x'.repeat(30)}`]],
  ['a word longer than a line', line(`${'x'.repeat(30)} y`, 'checks  '), [`checks  ${'x'.repeat(30)}`, '        y']],
  ['a line of one long word', line('x'.repeat(30)), ['x'.repeat(30)]],
  ['letters of double width', line('你好你好你好 你好你好你好'), ['你好你好你好', '你好你好你好']],
  ['nothing', line(''), ['']],
];

for (const [name, given, folded] of CASES) {
  test(`in 21 columns, broken between words: ${name}`, () => {
    assert.deepEqual(foldLines([given], 21).split('\n'), folded);
  });
}

test('the notes of several commands form a column', () => {
  const lines = [nextLine('baton diff', 'one', 12), nextLine('baton verify', 'two', 12)];
  assert.equal(foldLines(lines, 80), 'next: baton diff    one\nnext: baton verify  two');
});

test('lines behind a head continue behind it', () => {
  const lines = behind('        │ ', [line('one two three', 'says  ')], '        │ ');
  assert.equal(foldLines(lines, 26), '        │ says  one two\n        │       three');
});

test('colours take no room and are kept', () => {
  const text = `${bad('failed')}  ${faint('one two')} three`;
  assert.equal(widthOf(text), 'failed  one two three'.length);
  const given = line(`${faint('one two')} three`, `${bad('failed')}  `);
  assert.equal(foldLines([given], 21), text);
  assert.equal(foldLines([given], 16), `${bad('failed')}  ${faint('one two')}\n        three`);
});

test('without a terminal nothing is broken', () => {
  const words = 'word '.repeat(100);
  assert.equal(foldLines([line(words, 'task ')], Number.POSITIVE_INFINITY), `task ${words}`);
});

const PAGES: (readonly [name: string, lines: () => Promise<readonly Line[]>])[] = [['', async () => overview('1.0.0')]];
for (const entry of COMMANDS) {
  if (!('verbs' in entry)) PAGES.push([entry.name, async () => commandHelp(await entry.load())]);
  else {
    PAGES.push([entry.name, async () => familyHelp(entry)]);
    for (const verb of entry.verbs)
      PAGES.push([`${entry.name} ${verb.name}`, async () => commandHelp(await verb.load())]);
  }
}

for (const [name, lines] of PAGES) {
  test(`baton ${name} --help fits into 80 columns, and is the same words`, async () => {
    const page = foldLines(await lines(), Number.POSITIVE_INFINITY);
    const folded = foldLines(await lines(), 80);
    const words = (all: string) => all.split(/\s+/);
    assert.deepEqual(words(folded), words(page));
    const shown = folded.split('\n');
    // An example is to be pasted.
    const last = shown.indexOf('Examples');
    assert.deepEqual(
      shown.slice(0, last).filter((each) => each.length > 80),
      [],
    );
  });
}

test('a paragraph of help is one line', async () => {
  const commands = COMMANDS.flatMap((entry) => ('verbs' in entry ? entry.verbs : [entry]));
  const families = COMMANDS.flatMap((entry) => ('verbs' in entry ? [entry] : []));
  const abouts = [...families, ...(await Promise.all(commands.map((each) => each.load())))].map(({ about }) => about);
  const broken = abouts.flatMap((about) => about.split('\n')).filter((paragraph) => !/[.:]$/.test(paragraph));
  assert.deepEqual(broken, [], 'join the lines of a paragraph with a space');
});
