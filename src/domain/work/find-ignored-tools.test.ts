import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MadeCheck } from '../execution/check-result.ts';
import { findIgnoredTools } from './find-ignored-tools.ts';
import type { IgnoredChange } from './ignored-files.ts';

const CHECK = { argv: ['npm', 'test', './tools/judge.sh'] } as unknown as MadeCheck;

function changed(path: string, more: Partial<IgnoredChange> = {}): IgnoredChange {
  return { path, change: 'changed', files: 1, isSaved: true, ...more };
}

test('a changed program that checks run through is found, and nothing that only builds and tests write', () => {
  const found = (change: IgnoredChange) => findIgnoredTools([CHECK], [change]);
  assert.deepEqual(found(changed('node_modules/.bin/jest')), ['node_modules/.bin/jest']);
  assert.deepEqual(found(changed('app/.venv/bin/pytest')), ['app/.venv/bin/pytest']);
  assert.deepEqual(found(changed('tools/judge.sh')), ['tools/judge.sh']);
  assert.deepEqual(found(changed('.env')), []);
  assert.deepEqual(found(changed('node_modules/.cache/babel/x')), []);
  assert.deepEqual(found(changed('node_modules/.package-lock.json')), []);
  assert.deepEqual(found(changed('node_modules/new/index.js', { change: 'created' })), []);
  const tree = { files: 3, examples: ['node_modules/a.js', 'node_modules/.cache/x'] };
  assert.deepEqual(found(changed('node_modules/', tree)), ['node_modules/a.js', 'node_modules/']);
});

test('without a check that ran a program nothing judges the work', () => {
  assert.deepEqual(findIgnoredTools([{ ...CHECK, argv: null }], [changed('node_modules/.bin/jest')]), []);
});
