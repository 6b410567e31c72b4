import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MadeCheck } from '../execution/check-result.ts';
import type { ChangedFile } from '../execution/findings.ts';
import { findChangedChecks } from './find-changed-checks.ts';

/** A command, the files that the run changed, and those of them that the command runs. */
const TABLE: readonly (readonly [argv: readonly string[], changed: readonly string[], found: readonly string[]])[] = [
  [['sh', 'check.sh'], ['check.sh'], ['check.sh']],
  [['sh', '-e', './check.sh', 'a'], ['a', 'check.sh'], ['check.sh']],
  [['./test/run'], ['test/run'], ['test/run']],
  [['/usr/bin/python3.11', 'tests/all.py'], ['tests/all.py'], ['tests/all.py']],
  [['node', '--test'], ['a.test.js'], []],
  [['npm', 'test'], ['package.json', 'src/a.js'], ['package.json']],
  [['make', 'check'], ['Makefile'], ['Makefile']],
  [['grep', 'hi', 'NOTES.md'], ['NOTES.md', 'grep.md'], []],
  [['sh', 'check.sh'], ['other.sh'], []],
];

for (const [argv, changed, found] of TABLE) {
  test(`${argv.join(' ')} after a change of ${changed.join(', ')} runs ${found.join(', ') || 'nothing changed'}`, () => {
    const made = [{ argv, command: argv.join(' ') } as MadeCheck];
    const files = changed.map((path) => ({ path }) as ChangedFile);
    assert.deepEqual(
      findChangedChecks(made, files).map(({ path }) => path),
      found,
    );
  });
}
