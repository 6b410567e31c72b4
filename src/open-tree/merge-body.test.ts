import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { appendToWorkLog } from '../domain/task/work-log.ts';
import { diffLines, type Hunk, mergeBody, mergeLines } from './merge-body.ts';

const LOGGED = 'Do it.\n\n## Work Log\n\n- one\n- two\n\n## Notes\n\nKept.\n';

interface Case {
  readonly name: string;
  readonly base: string | null;
  readonly ledger: string;
  readonly disk: string;
  /** The result, or the conflicting field in brackets. */
  readonly wanted: string;
}

const CASES: readonly Case[] = [
  { name: 'nothing was typed', base: 'a\n', ledger: 'b\n', disk: 'a\n', wanted: 'b\n' },
  { name: 'only the person wrote', base: 'a\n', ledger: 'a\n', disk: 'b\n', wanted: 'b\n' },
  { name: 'both wrote the same', base: 'a\n', ledger: 'b\n', disk: 'b\n', wanted: 'b\n' },
  { name: 'both wrote the same line otherwise', base: 'a\n', ledger: 'b\n', disk: 'c\n', wanted: '[body]' },
  { name: 'all was taken out', base: 'a\nb\n', ledger: 'a\nb\n', disk: '', wanted: '' },
  {
    name: 'the last line changed while a first entry was logged',
    base: 'Do it.\n',
    ledger: appendToWorkLog('Do it.\n', '- one'),
    disk: 'Do it well.\n',
    wanted: 'Do it well.\n\n## Work Log\n\n- one\n',
  },
  {
    name: 'a paragraph was added while a first entry was logged',
    base: 'Do it.\n',
    ledger: appendToWorkLog('Do it.\n', '- one'),
    disk: 'Do it.\n\nAnd more.\n',
    wanted: 'Do it.\n\nAnd more.\n\n## Work Log\n\n- one\n',
  },
  {
    name: 'a body without an end of line gets a log and more text',
    base: 'Do it.',
    ledger: appendToWorkLog('Do it.', '- one'),
    disk: 'Do it.\nAnd more.',
    wanted: 'Do it.\nAnd more.\n\n## Work Log\n\n- one\n',
  },
  {
    name: 'both appended an entry',
    base: LOGGED,
    ledger: LOGGED.replace('- two\n', '- two\n- three\n'),
    disk: LOGGED.replace('- two\n', '- two\n- mine\n'),
    wanted: LOGGED.replace('- two\n', '- two\n- three\n- mine\n'),
  },
  {
    name: 'an entry was put between others',
    base: LOGGED,
    ledger: LOGGED,
    disk: LOGGED.replace('- two\n', '- between\n- two\n'),
    wanted: LOGGED.replace('- two\n', '- between\n- two\n'),
  },
  { name: 'an entry was taken out', base: LOGGED, ledger: LOGGED, disk: LOGGED.replace('- one\n', ''), wanted: LOGGED },
  {
    name: 'the whole log was taken out, and a line changed',
    base: LOGGED,
    ledger: LOGGED,
    disk: 'Do it well.\n\n## Notes\n\nKept.\n',
    wanted: LOGGED.replace('Do it.', 'Do it well.'),
  },
  {
    name: 'everything was replaced',
    base: LOGGED,
    ledger: LOGGED.replace('- two\n', '- two\n- three\n'),
    disk: 'All new.',
    wanted: 'All new.\n\n## Work Log\n\n- one\n- two\n- three\n',
  },
  {
    name: 'an entry reads otherwise',
    base: LOGGED,
    ledger: LOGGED,
    disk: LOGGED.replace('- one', '- 1'),
    wanted: '[work log]',
  },
  {
    name: 'an editor ends every line in its own way',
    base: LOGGED,
    ledger: LOGGED,
    disk: LOGGED.replace('Kept', 'Kept too').replaceAll('\n', '\r\n'),
    wanted: LOGGED.replace('Kept', 'Kept too'),
  },
  {
    name: 'an older text of Baton comes back',
    base: null,
    ledger: LOGGED,
    disk: LOGGED.replace('- two\n', ''),
    wanted: LOGGED,
  },
  { name: 'nobody knows what it was typed on', base: null, ledger: LOGGED, disk: `${LOGGED}more\n`, wanted: '[body]' },
];

for (const { name, base, ledger, disk, wanted } of CASES) {
  test(`${name}: ${JSON.stringify(wanted.slice(0, 40))}`, () => {
    const merged = mergeBody({ base, ledger, disk });
    assert.equal(merged.kind === 'merged' ? merged.body : `[${merged.field}]`, wanted);
  });
}

const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 12 });

function apply(base: readonly string[], hunks: readonly Hunk[]): string[] {
  const out: string[] = [];
  let at = 0;
  for (const { from, to, lines } of hunks) {
    out.push(...base.slice(at, from), ...lines);
    at = to;
  }
  return [...out, ...base.slice(at)];
}

function merge(base: readonly string[], ours: readonly string[], theirs: readonly string[]): string[] | null {
  return mergeLines({ base, ours: diffLines(base, ours), theirs: diffLines(base, theirs), settle: () => null });
}

/** The length of the longest common subsequence, by the book. */
function common(first: readonly string[], second: readonly string[]): number {
  let row = new Array<number>(second.length + 1).fill(0);
  for (const line of first) {
    const next = [0];
    second.forEach((other, at) => {
      next.push(line === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    });
    row = next;
  }
  return row.at(-1) ?? 0;
}

test('the hunks of a diff lead from the one text to the other, and keep as many lines as can be kept', () => {
  fc.assert(
    fc.property(text, text, (first, second) => {
      const hunks = diffLines(first, second);
      assert.deepEqual(apply(first, hunks), second);
      const gone = hunks.reduce((sum, { from, to }) => sum + to - from, 0);
      assert.equal(first.length - gone, common(first, second));
    }),
  );
});

test('texts that differ in too many lines are told apart by their beginning and end', () => {
  const lines = (word: string) => Array.from({ length: 2_000 }, (_, at) => `${word} ${at}`);
  const hunks = diffLines(['head', ...lines('old'), 'tail'], ['head', ...lines('new'), 'tail']);
  assert.deepEqual(
    hunks.map(({ from, to, lines: { length } }) => [from, to, length]),
    [[1, 2_001, 2_000]],
  );
});

test('lines that are names of an object are lines like any other', () => {
  const base = ['constructor', '__proto__', 'toString'];
  assert.deepEqual(merge(base, ['x', ...base], base.with(1, 'hasOwnProperty')), [
    'x',
    'constructor',
    'hasOwnProperty',
    'toString',
  ]);
});

test('texts that take too long to compare are compared by their beginning and end', () => {
  const lines = new Array<string>(2_000).fill('');
  const hunks = diffLines(['old', ...lines, 'old'], ['new', ...lines, '', 'new']);
  assert.deepEqual(
    hunks.map(({ from, to, lines: { length } }) => [from, to, length]),
    [[0, 2_002, 2_003]],
  );
});

test('a text of half a million lines is merged without running out of anything', () => {
  const base = Array.from({ length: 500_000 }, (_, at) => String(at % 7));
  assert.equal(merge(base, ['new', ...base], [...base, 'end'])?.length, base.length + 2);
  assert.deepEqual(merge(base, base, []), []);
});

test('where one side changed nothing, the other side stands', () => {
  fc.assert(
    fc.property(text, text, (base, other) => {
      assert.deepEqual(merge(base, base, other), other);
      assert.deepEqual(merge(base, other, base), other);
      assert.deepEqual(merge(base, other, other), other);
    }),
  );
});

test('a merge does not ask which side is ours', () => {
  fc.assert(
    fc.property(text, text, text, (base, ours, theirs) => {
      assert.deepEqual(merge(base, ours, theirs), merge(base, theirs, ours));
    }),
  );
});

test('changes of different lines are both in what comes out', () => {
  fc.assert(
    fc.property(fc.nat(8), fc.nat(8), fc.boolean(), (one, other, isDeleted) => {
      fc.pre(one !== other);
      const base = Array.from({ length: 9 }, (_, at) => `line ${at}`);
      const ours = base.with(one, 'ours');
      const theirs = isDeleted ? base.toSpliced(other, 1) : base.with(other, 'theirs');
      const wanted = base.with(one, 'ours');
      assert.deepEqual(
        merge(base, ours, theirs),
        isDeleted ? wanted.toSpliced(other, 1) : wanted.with(other, 'theirs'),
      );
    }),
  );
});

const LINE_CASES: readonly [
  string,
  readonly string[],
  readonly string[],
  readonly string[],
  readonly string[] | null,
][] = [
  ['the same line, otherwise', ['a'], ['b'], ['c'], null],
  ['the same line, alike', ['a'], ['b'], ['b'], ['b']],
  ['a line changed and taken out', ['a', 'b'], ['a', 'x'], ['a'], null],
  ['two insertions at one place', ['a'], ['a', 'x'], ['a', 'y'], null],
  ['the same insertion', ['a'], ['a', 'x'], ['a', 'x'], ['a', 'x']],
  ['an insertion before a changed line', ['a', 'b'], ['a', 'x', 'b'], ['a', 'y'], ['a', 'x', 'y']],
  ['an insertion after a changed line', ['a', 'b'], ['a', 'b', 'x'], ['a', 'y'], ['a', 'y', 'x']],
  ['an insertion among lines taken out', ['a', 'b', 'c', 'd'], ['a', 'b', 'x', 'c', 'd'], ['a', 'd'], null],
  ['neighbours', ['a', 'b'], ['x', 'b'], ['a', 'y'], ['x', 'y']],
  ['one change over two', ['a', 'b', 'c'], ['x'], ['y', 'b', 'z'], null],
];

for (const [name, base, ours, theirs, wanted] of LINE_CASES) {
  test(`merged: ${name}`, () => {
    assert.deepEqual(merge(base, ours, theirs), wanted);
  });
}
