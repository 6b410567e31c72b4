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
