import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOutsideFiles } from './find-outside-files.ts';

const CASES: readonly (readonly [objective: string, changed: readonly string[], outside: readonly string[]])[] = [
  ['Make it faster', ['src/a.ts', 'README.md'], []],
  ['Fix the rounding in src/money.ts', ['src/money.ts'], []],
  ['Fix the rounding in src/money.ts', ['src/money.ts', 'src/login.ts'], ['src/login.ts']],
  ['Fix `money.ts`, please.', ['src/money.ts', 'lib/b.ts'], ['lib/b.ts']],
  ['Fix src/money.ts', ['test/money.test.ts', 'src/money_test.go', 'test_money.py'], []],
  ['Add tests for src/money.ts', ['test/currency.test.ts'], []],
  ['Clean up src/api/', ['src/api/http/a.ts', 'src/cli/b.ts'], ['src/cli/b.ts']],
  ['Rename everything in src/*.ts', ['src/a.ts', 'docs/a.md'], ['docs/a.md']],
  ['Upgrade vite in package.json', ['package.json', 'package-lock.json', 'vite.config.ts'], ['vite.config.ts']],
  ['Run it on Node.js 24, e.g. with and/or without I/O', ['src/a.ts'], []],
  ['See https://example.org/docs/a.html', ['src/a.ts'], []],
];

for (const [objective, changed, outside] of CASES) {
  test(`outside of "${objective}" are: ${outside.join(', ') || 'none'}`, () => {
    assert.deepEqual(findOutsideFiles(objective, [], changed), outside);
  });
}

test('expected outputs are named files too', () => {
  assert.deepEqual(findOutsideFiles('Write it', ['NOTES.md', 'out/'], ['NOTES.md', 'out/a/b', 'src/a.ts']), [
    'src/a.ts',
  ]);
});
