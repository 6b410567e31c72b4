import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinFrontMatter, splitFrontMatter } from './front-matter.ts';

const SPLIT: readonly [string, string, { yaml: string; body: string } | null][] = [
  ['the body starts right after the closing fence', '---\na: 1\n---\nbody\n', { yaml: 'a: 1\n', body: 'body\n' }],
  ['an empty line after the fence is body', '---\na: 1\n---\n\nbody', { yaml: 'a: 1\n', body: '\nbody' }],
  ['nothing between the fences', '---\n---\nbody', { yaml: '', body: 'body' }],
  ['no body and no line end', '---\na: 1\n---', { yaml: 'a: 1\n', body: '' }],
  ['CRLF', '---\r\na: 1\r\n---\r\nbody\r\n', { yaml: 'a: 1\r\n', body: 'body\r\n' }],
  ['blanks after a fence', '--- \na: 1\n---\t\nbody', { yaml: 'a: 1\n', body: 'body' }],
  ['a byte order mark', '\uFEFF---\na: 1\n---\nb', { yaml: 'a: 1\n', body: 'b' }],
  ['fences in the body', '---\na: 1\n---\nx\n---\ny\n', { yaml: 'a: 1\n', body: 'x\n---\ny\n' }],
  ['a longer line of dashes is no fence', '---\na: 1\n----\n---\nb', { yaml: 'a: 1\n----\n', body: 'b' }],
  ['an indented fence is no fence', '---\na: |\n  ---\n---\nb', { yaml: 'a: |\n  ---\n', body: 'b' }],
  ['a line separator does not start a line', '---\na: x\u2028---\n---\nb', { yaml: 'a: x\u2028---\n', body: 'b' }],
  ['an engine is no front matter', '---js\nprocess.exit()\n---\nb', null],
  ['a fence that is never closed', '---\na: 1\n', null],
  ['text before the fence', '\n---\na: 1\n---\n', null],
  ['no fence', '# Title\n', null],
  ['empty', '', null],
];

for (const [name, text, parts] of SPLIT) {
  test(`front matter is split by hand: ${name}`, () => assert.deepEqual(splitFrontMatter(text), parts));
}

test('what was joined is split into the same parts', () => {
  for (const body of ['', '\n', '\n\n# x', '---\n', 'x', '\r\n']) {
    const parts = { yaml: 'a: 1\n', body };
    assert.deepEqual(splitFrontMatter(joinFrontMatter(parts)), parts);
  }
});
