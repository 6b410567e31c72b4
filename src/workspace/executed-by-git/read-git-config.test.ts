import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '../../../test/support/test-repository.ts';
import { readGitConfig } from './read-git-config.ts';

/** Each is read by git itself, too. */
const TEXTS: Readonly<Record<string, string>> = {
  'plain settings': '[core]\n\tfsmonitor = run\n\tbare = false\n',
  'a header and a setting in one line': '[core] fsmonitor = run\n[alias] st = !run\n',
  'a comment that ends in a backslash':
    '# comment \\\n[core]\n; another \\\n\tfsmonitor = run # here \\\n\tpager = p\n',
  'a value over two lines': '[alias]\n\tst = !one \\\n  two\n\tsecond = 2\n',
  'a value over two lines with returns': '[alias]\r\n\tst = !one \\\r\n  two\r\n\tsecond = 2\r\n',
  'quotes, and comment marks in them': '[alias]\n\ta = "!x; # y" z ; comment\n\tb = "\\"q\\" \\t \\\\"\n',
  subsections: '[Filter "A.b \\"c\\""]\n\tClean = run\n[includeIf "onbranch:x"]\n\tpath = p\n[a.B]\n\tkey = v\n',
  'keys alone': '[core]\n\tbare\n\tfsmonitor\n',
  'no line end at the end': '[core]\nfsmonitor=run',
  'a mark of the byte order': '\uFEFF[core]\nfsmonitor=run\n',
};

for (const [does, text] of Object.entries(TEXTS)) {
  test(`read as git reads it: ${does}`, () => {
    const file = join(testFolder(), 'config');
    writeFileSync(file, text);
    const said = execFileSync('git', ['config', '--file', file, '--list', '-z'], { encoding: 'utf8' });
    const expected = said.split('\0').filter(Boolean);
    const found = readGitConfig(text).map(({ name, value }) => `${name}\n${value}`);
    // Git prints a key alone without its value.
    assert.deepEqual(
      found,
      expected.map((line) => (line.includes('\n') ? line : `${line}\ntrue`)),
    );
  });
}
