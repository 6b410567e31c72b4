import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeYaml } from './write-yaml.ts';
import { readYaml } from './yaml-text.ts';

const WRITTEN: readonly [string, Record<string, unknown>, string][] = [
  ['an object below', { a: { b: 1, c: 'x' } }, 'a:\n  b: 1\n  c: x\n'],
  ['a list', { a: ['x', 'y z'] }, 'a:\n  - x\n  - y z\n'],
  ['objects in a list', { a: [{ b: 1, c: [2] }, {}] }, 'a:\n  - b: 1\n    c:\n      - 2\n  - {}\n'],
  ['a list in a list', { a: [[1, [2]], []] }, 'a:\n  - - 1\n    - - 2\n  - []\n'],
  ['nothing', {}, '{}\n'],
  ['what is not set is left out', { a: undefined, b: { c: undefined } }, 'b: {}\n'],
  ['instants and task names stay bare', { a: '2026-02-09T20:55:00.000Z', b: 'TASK-2026-02-09-057' }, ''],
  ['a colon inside of a word stays bare', { a: 'see https://x.test/a' }, 'a: see https://x.test/a\n'],
  ['what older readers take for a truth is quoted', { a: 'yes', off: 'N' }, 'a: "yes"\n"off": "N"\n'],
  ['text that would be cut or read as a comment is quoted', { a: 'x ', b: 'x #y', c: 'x:' }, ''],
];

for (const [name, value, text] of WRITTEN) {
  test(`YAML is written in blocks: ${name}`, () => {
    const written = writeYaml(value);
    if (text !== '') assert.equal(written, text);
    assert.deepEqual(readYaml(written), { kind: 'value', value: JSON.parse(JSON.stringify(value)) });
  });
}

test('a key too long for one line is read back', () => {
  const value = { a: { ['k'.repeat(2_000)]: [1], ['"'.repeat(700)]: 'x' } };
  assert.deepEqual(readYaml(writeYaml(value)), { kind: 'value', value });
});

const piece = fc.constantFrom(
  ...'-\n\r\t #:"\'\\|>&*!%@`[]{},?~01e.xAé\u0085\u00a0\u2028\ufeff\ud800\x07\x7f…'.split(''),
);
const word = fc.constantFrom(
  '---',
  '...',
  'null',
  'TRUE',
  '0x1f',
  '1e3',
  '.inf',
  '2026-01-01',
  '<<',
  '007',
  '- a',
  '~',
);
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: piece }), word);
const key = text.filter((name) => name !== '__proto__');
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    number,
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

test('whatever is written is read back as it was, on lines that no fence is among', () => {
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true }), (object) => {
      const written = writeYaml(object);
      assert.deepEqual(readYaml(written), { kind: 'value', value: object });
      assert.ok(written.isWellFormed());
      assert.doesNotMatch(written, /^---/m);
    }),
    { numRuns: 1_000 },
  );
});
