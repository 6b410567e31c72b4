import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findViolations } from './find-violations.ts';

const workspaceRoot = '/ws';
const changed = [{ path: 'src/a' }, { path: 'src-evil/b' }, { path: 'docs/c.md' }, { path: 'src' }];

const CASES: readonly (readonly [grant: readonly string[], outside: readonly string[]])[] = [
  [['/ws'], []],
  [['/ws/src'], ['src-evil/b', 'docs/c.md']],
  [['/ws/src', '/ws/docs/c.md'], ['src-evil/b']],
  [
    ['/ws-evil', '/other'],
    ['src/a', 'src-evil/b', 'docs/c.md', 'src'],
  ],
  [[], ['src/a', 'src-evil/b', 'docs/c.md', 'src']],
  [['/'], []],
];

for (const [writePaths, outside] of CASES) {
  test(`with a grant of ${writePaths.join(', ') || 'nothing'} there are ${outside.length} violations`, () => {
    assert.deepEqual(findViolations(changed, { workspaceRoot, writePaths }), outside);
  });
}

test('what may only be read is not written by way of a folder that may be', () => {
  const readOnlyPaths = ['/ws/src', '/ws/docs/c.md'];
  assert.deepEqual(findViolations(changed, { workspaceRoot, writePaths: ['/ws'], readOnlyPaths }), [
    'src/a',
    'docs/c.md',
    'src',
  ]);
});
