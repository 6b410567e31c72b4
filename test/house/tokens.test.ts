import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionsOf } from './functions.ts';
import { exportsOf, importsOf } from './modules.ts';
import { sourceFile } from './source-file.ts';
import { tokenize } from './tokens.ts';

function words(text: string): string[] {
  return tokenize(text)
    .filter((token) => token.kind === 'word')
    .map((token) => token.text);
}

test('strings, comments, templates and regular expressions hide their words', () => {
  assert.deepEqual(words("const a = 'any'; // any\n/* any */ const b = /any[/]any/g;"), ['const', 'a', 'const', 'b']);
  assert.deepEqual(words('const c = `any §{d(`any §{e} any`)} any`;'.replaceAll('§', '$')), ['const', 'c', 'd', 'e']);
  assert.deepEqual(words('const f = g / h / i;'), ['const', 'f', 'g', 'h', 'i']);
});

test('a token knows its line after text of several lines', () => {
  const tokens = tokenize('/* one\ntwo */\n`three\nfour` + five');
  assert.equal(tokens.find((token) => token.text === 'five')?.line, 4);
});

test('imports of every form are seen with their names', () => {
  const file = sourceFile(
    'src/x.ts',
    [
      "import { a, type B, c as d } from './one.ts';",
      "import * as all from './two.ts';",
      "import type { T } from './three.ts';",
      "import './four.ts';",
      "export { e } from './five.ts';",
      "const lazy = await import('./six.ts');",
      'export type G = { from: string };',
      'export const h = import.meta.url;',
    ].join('\n'),
  );
  assert.deepEqual(
    importsOf(file).map(({ from, names, line }) => [from, names, line]),
    [
      ['./one.ts', ['a', 'B', 'c'], 1],
      ['./two.ts', undefined, 2],
      ['./three.ts', ['T'], 3],
      ['./four.ts', [], 4],
      ['./five.ts', ['e'], 5],
      ['./six.ts', undefined, 6],
    ],
  );
  assert.deepEqual(
    exportsOf(file).map(({ name }) => name),
    ['e', 'G', 'h'],
  );
});

test('functions, methods and arrows are measured, calls and control flow are not', () => {
  const text = [
    'export function one(a: Map<string, number>, b = [1, 2]): { c: string } {',
    '  if (a) { call(a, b, 1, 2); }',
    '}',
    'class K { two(): Promise<void> {',
    '    return cond ? call(x) : other;',
    '  }',
    '}',
    'const three = async (a: string, b: string): Promise<void> =>',
    '  call(a,',
    '    b);',
  ].join('\n');
  assert.deepEqual(
    functionsOf(tokenize(text)).map(({ name, lines, parameters }) => [name, lines, parameters]),
    [
      ['one', 3, 2],
      ['two', 3, 0],
      ['three', 3, 2],
    ],
  );
});
