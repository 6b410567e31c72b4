import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DataFolder } from '../../support/data-folder.ts';
import { orderRun, RunStage } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('run-part-of-repository');

function wordsOf(root: string, words: string, checks: readonly string[]): string[] {
  const flags = checks.flatMap((check) => ['--check', check]);
  return ['run', words, '--agent', 'demo', '--workspace', root, '--json', ...flags];
}

async function work(root: string, words: string, ...checks: readonly string[]) {
  return orderRun(await stage.data.run(wordsOf(root, words, checks)));
}

describe('a workspace whose repository is elsewhere', { concurrency: 2, skip: noBubblewrap }, () => {
  test('a package of a monorepo finds hoisted modules, settings above it and git, and writes none of them', async () => {
    const repository = stage.repository();
    repository.write('.gitignore', 'node_modules/\n');
    repository.write('tsconfig.base.json', '{}');
    repository.write('packages/x/t.js', "require('dep'); require('../../tsconfig.base.json');\n");
    repository.commit('a monorepo');
    repository.write('node_modules/dep/index.js', '');
    const folder = join(repository.root, 'packages', 'x');
    const run = await work(
      folder,
      '@demo write one 1',
      'node t.js',
      'git diff --exit-code',
      'sh -c "! touch ../../two"',
    );
    assert.equal(run.exit, 0, run.stdout);
    assert.equal(existsSync(join(repository.root, 'two')), false);
    const words = ['run', '@demo write one 1', '--agent', 'demo', '--workspace', folder, '--dry-run'];
    const plan = await stage.data.run(words);
    assert.match(plan.stdout + plan.stderr, /the rest of the repository .* can be read, not changed/s);
  });

  test('a worktree of a folder of a repository starts where the data folder lies in the repository', async () => {
    const repository = stage.repository();
    repository.write('packages/x/t.js', "require('../../settings.json');\n");
    repository.write('settings.json', '{}');
    repository.commit('a monorepo');
    const data = new DataFolder(join(repository.root, '.baton'));
    await data.json('init');
    const words = wordsOf(join(repository.root, 'packages', 'x'), '@demo write one 1', ['node t.js', 'ls one']);
    const run = orderRun(await data.run([...words, '--worktree', '--yes']));
    assert.equal(run.exit, 0, run.stdout);
  });

  test('git works in a linked worktree and in a submodule', async () => {
    const repository = stage.repository();
    repository.write('a', 'a\n');
    repository.commit('a file');
    const linked = `${repository.root}-linked`;
    repository.git('worktree', 'add', '--quiet', linked, '-b', 'linked');
    const outer = stage.repository();
    outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', repository.root, 'lib');
    outer.commit('a submodule');
    for (const folder of [linked, join(outer.root, 'lib')]) {
      const run = await work(folder, '@demo write one 1', 'git diff --exit-code', 'git status', 'git log -1');
      assert.equal(run.exit, 0, run.stdout);
    }
  });
});
