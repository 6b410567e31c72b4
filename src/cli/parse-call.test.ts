import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FlagSpec, UsageError } from './command.ts';
import { parseCall, splitArguments } from './parse-call.ts';

const FLAGS: Record<string, FlagSpec> = {
  as: { takes: 'value', help: '' },
  check: { takes: 'values', help: '' },
};

const SPLITS: readonly (readonly [argv: string, name: string | null, rest: string])[] = [
  ['', null, ''],
  ['check a', 'check', 'a'],
  ['--json check a', 'check', '--json a'],
  ['--json --help', null, '--json --help'],
  ['- check', '-', 'check'],
];

for (const [argv, name, rest] of SPLITS) {
  test(`the first word is the command: ${argv}`, () => {
    const words = (text: string) => text.split(' ').filter((word) => word !== '');
    assert.deepEqual(splitArguments(words(argv)), { name, rest: words(rest) });
  });
}

test('words, values, repeated values and global flags are told apart', () => {
  const call = parseCall(['a', '--check', 'x', '--as=aop', '--json', '--check', 'y', '--', '--b'], FLAGS, 'run');
  assert.deepEqual(call.words, ['a', '--b']);
  assert.deepEqual({ ...call.flags }, { check: ['x', 'y'], as: 'aop', json: true });
});

test('a flag that is unknown, lacks its value or takes none is a usage error with the help as hint', () => {
  for (const argv of [['--zzz'], ['--as'], ['--json=yes'], ['-z']]) {
    assert.throws(
      () => parseCall(argv, FLAGS, 'run'),
      (error) => error instanceof UsageError && error.message.startsWith('run: ') && error.hint === 'baton run --help',
    );
  }
});

test('a number below zero is a value, which the command judges itself', () => {
  for (const value of ['-3', '-0.5']) assert.equal(parseCall(['--as', value], FLAGS, 'run').flags['as'], value);
});

const MISTYPED: readonly (readonly [argv: readonly string[], message: string, hint: string])[] = [
  [['--chekc', 'x'], "run: unknown option '--chekc'", 'did you mean --check?'],
  [['--jsno'], "run: unknown option '--jsno'", 'did you mean --json?'],
  [['--as', '-x'], "run: the value of '--as' begins with a dash", '--as=-x'],
  [['--as'], "run: option '--as' needs a value", 'baton run --help'],
  [['--json=yes'], "run: option '--json' takes no value", 'baton run --help'],
  [['-z'], "run: unknown option '-z'", 'baton run --help'],
];

for (const [argv, message, hint] of MISTYPED) {
  test(`${argv.join(' ')} is refused in one line, with what was meant`, () => {
    assert.throws(
      () => parseCall(argv, FLAGS, 'run'),
      (error) => error instanceof UsageError && error.message === message && error.hint === hint,
    );
  });
}
