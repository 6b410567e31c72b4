import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository } from '../../../test/support/test-repository.ts';
import { findGitNames } from './find-git-names.ts';
import { ignoreRules, keepRules, keptRules } from './ignore-rules.ts';

const FILES = ['a.log', 'keep.log', 'build/x', 'sub/a.log', 'sub/keep.log', 'sub/build/x', 'sub/deep/build/x'];
const MORE = [
  'sub/deep/a.log',
  'sub/deep/er/y.tmp',
  'sub/docs/a.txt',
  'sub/deep/docs/a.txt',
  'odd [1]*/x.o',
  'odd [1]*/y',
];

/** Rules by folder. */
const LISTS: readonly Readonly<Record<string, string>>[] = [
  { '': '*.log\n' },
  { '': '*.log\n', sub: '!keep.log\n' },
  { sub: '/build\n*.tmp' },
  { sub: 'build/\n' },
  { sub: 'docs/*.txt\n# comment\n\n\\#x\n' },
  { sub: '**/er/\n', 'sub/deep': '!er/\n' },
  { 'odd [1]*': '*.o\r\n' },
  { sub: '*\n', '': 'sub/deep\n' },
  { sub: '*\n!.gitignore\n!docs/\n!docs/*\n' },
];

for (const lists of LISTS) {
  test(`one list ignores what the lists of all folders do: ${JSON.stringify(lists)}`, async () => {
    const repository = new TestRepository();
    for (const file of [...FILES, ...MORE]) repository.write(file, 'x\n');
    for (const [folder, text] of Object.entries(lists)) repository.write(join(folder, '.gitignore'), text);
    const { ignoreFiles } = await findGitNames([repository.root], []);
    const file = join(repository.root, '..', 'rules');
    writeFileSync(file, ignoreRules(repository.place, ignoreFiles, null) ?? '');
    const others = (...args: string[]) =>
      execFileSync('git', ['ls-files', '--others', '-z', ...args], { cwd: repository.root, encoding: 'utf8' });
    assert.equal(others(`--exclude-from=${file}`), others('--exclude-standard'));
  });
}

for (const [how, bytes] of Object.entries({ 'cut to nothing': '', overwritten: '\0 something else\n' }))
  test(`stored rules that were ${how} are written again by the next run with the same rules`, () => {
    const { dataFolder } = new TestRepository();
    const hash = keepRules(dataFolder, 'build/\n');
    const file = keptRules(dataFolder, hash);
    assert.ok(file);
    writeFileSync(file, bytes);
    assert.equal(keptRules(dataFolder, hash), null);
    assert.equal(keepRules(dataFolder, 'build/\n'), hash);
    assert.equal(keptRules(dataFolder, hash), file);
  });
