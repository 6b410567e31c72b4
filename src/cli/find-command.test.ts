import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from './command.ts';
import { findCommand } from './find-command.ts';

const FOUND: readonly (readonly [words: string, kind: string, name: string, rest: string])[] = [
  ['status --json', 'command', 'status', '--json'],
  ['task', 'family', 'task', ''],
  ['task --help', 'family', 'task', '--help'],
  ['task new a b', 'command', 'task new', 'a b'],
  ['task --data x new a', 'command', 'task new', '--data x a'],
  ['task --json --key=k claim 1', 'command', 'task claim', '--json --key=k 1'],
];

for (const [words, kind, name, rest] of FOUND) {
  test(`baton ${words} is ${name}`, () => {
    const [first = '', ...more] = words.split(' ');
    const found = findCommand(first, more);
    assert.deepEqual([found.kind, found.name, found.rest.join(' ')], [kind, name, rest]);
  });
}

const MISTYPED: readonly (readonly [words: string, hint: string])[] = [
  ['tsk', 'baton task --help'],
  ['stauts', 'baton status --help'],
  ['rnu', 'baton run --help'],
  ['ts', 'baton --help'],
  ['x', 'baton --help'],
  ['deploy', 'baton --help'],
  ['task nw', 'baton task new --help'],
  ['task lst', 'baton task list --help'],
  ['task frobnicate', 'baton task --help'],
];

for (const [words, hint] of MISTYPED) {
  test(`baton ${words} is no command, and the nearest one is named`, () => {
    const [first = '', ...more] = words.split(' ');
    assert.throws(
      () => findCommand(first, more),
      (error) => error instanceof UsageError && error.hint === hint && error.message.includes(JSON.stringify(words)),
    );
  });
}
