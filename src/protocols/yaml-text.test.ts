import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AOF_FRONT_MATTER_BYTES_MAX } from '../domain/federation/message-limits.ts';
import { writeYaml } from './write-yaml.ts';
import { readYaml } from './yaml-text.ts';

const READ: readonly [string, string, unknown][] = [
  ['dates stay text', 'a: 2026-02-09\nb: 2026-02-09T20:55:00.000Z', { a: '2026-02-09', b: '2026-02-09T20:55:00.000Z' }],
  ['yes and no are text', 'a: yes\nb: no', { a: 'yes', b: 'no' }],
  ['numbers, booleans and null', 'a: 1\nb: 1.5\nc: true\nd: ~\ne:', { a: 1, b: 1.5, c: true, d: null, e: null }],
  ['a number that cannot be kept stays text', 'a: 12345678901234567890', { a: '12345678901234567890' }],
  ['keys are text', '1: a\ntrue: b', { 1: 'a', true: 'b' }],
  ['a merge key is a key', '<<: {a: 1}', { '<<': { a: 1 } }],
  ['a few aliases', 'a: &x [1]\nb: *x', { a: [1], b: [1] }],
  ['comments', '# c\na: 1 # d', { a: 1 }],
  ['constructor is a key like any other here', 'constructor: 1', { constructor: 1 }],
  ['nothing', '', null],
];

for (const [name, text, value] of READ) {
  test(`YAML is read by the core schema: ${name}`, () => {
    assert.deepEqual(readYaml(text), { kind: 'value', value });
  });
}

const deepList = `a: ${'['.repeat(64)}${']'.repeat(64)}`;
const bomb = ['a: &a [x,x,x]', 'b: &b [*a,*a,*a]', 'c: &c [*b,*b,*b]', 'd: [*c,*c,*c]'].join('\n');

const REFUSED: readonly [string, string, readonly string[]][] = [
  ['a repeated key', 'a: 1\na: 2', ['repeated a']],
  ['a repeated key below', 'a: {b: 1, "b": 2}', ['repeated a/b']],
  ['a __proto__ key', 'a: {__proto__: 1}', ['forbidden-key a/__proto__']],
  ['tags', 'a: !!js/function x\nb: !!str y\nc: !x {}', ['not-allowed a', 'not-allowed b', 'not-allowed c']],
  [
    'infinity and what is no number',
    'a: .inf\nb: [.nan]\nc: 1e400',
    ['unreadable a', 'unreadable b/0', 'unreadable c'],
  ],
  ['a key that is a list', '? [a]\n: 1', ['note ']],
  ['an alias without an anchor', 'a: *x', ['unreadable a']],
  ['aliases of aliases', bomb, ['over-limit c/1/2']],
  ['a cycle of aliases', 'a: &a [*a]', ['over-limit a/0/0/0/0/0/0/0/0/0/0/0']],
  ['nesting of 65 levels', deepList, [`over-limit ${['a', ...Array(63).fill(0)].join('/')}`]],
  ['nesting that ends the stack', Array.from({ length: 9000 }, () => '- ').join(''), ['over-limit ']],
  ['a second document', 'a: 1\n...\nb: 2', ['unreadable ']],
  ['an unknown escape', 'a: "\\q"', ['unreadable ']],
  ['an open bracket', 'a: [', ['unreadable ']],
  ['more tokens than a person writes', 'a: 1\n'.repeat(20_000), ['over-limit ']],
  ['more than its bytes', 'x'.repeat(AOF_FRONT_MATTER_BYTES_MAX + 1), ['over-limit ']],
];

for (const [name, text, expected] of REFUSED) {
  test(`YAML is refused: ${name}`, () => {
    const reading = readYaml(text);
    assert.equal(reading.kind, 'broken');
    const issues = reading.kind === 'broken' ? reading.issues : [];
    assert.deepEqual(
      issues.map(({ kind, path }) => `${kind} ${path.join('/')}`),
      expected,
    );
  });
}

test('nesting of 64 levels is read', () => {
  assert.equal(readYaml(`a: ${'['.repeat(63)}${']'.repeat(63)}`).kind, 'value');
});

test('text is quoted where it could be read as something else', () => {
  const value = {
    a: 'true',
    b: '1',
    c: '',
    d: 'x: y',
    e: '# x',
    f: 'two\nlines',
    g: '\ud800',
    h: 'plain',
    i: [],
    j: {},
  };
  const lines = ['a: "true"', 'b: "1"', 'c: ""', 'd: "x: y"', 'e: "# x"', 'f: "two\\nlines"', 'g: "\\ud800"'];
  const text = [...lines, 'h: plain', 'i: []', 'j: {}', ''].join('\n');
  assert.equal(writeYaml(value), text);
  assert.deepEqual(readYaml(text), { kind: 'value', value });
});

test('long text stays on its line', () => {
  const value = { a: 'word '.repeat(100).trim() };
  assert.equal(writeYaml(value), `a: ${value.a}\n`);
});
