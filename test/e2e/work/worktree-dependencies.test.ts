import assert from 'node:assert/strict';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type OrderRun, orderRun, RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.up('worktree-dependencies');
const CHECK = ['--check', 'node test/sum.test.js', '--check', 'node packages/a/test.js'];

/** A monorepo whose tests need ignored packages, at its root and in a workspace. */
function project(): TestRepository {
  const repository = stage.repository();
  const packages = { workspaces: ['packages/*'], devDependencies: { adds: '1' } };
  repository.write('package.json', JSON.stringify(packages));
  repository.write('package-lock.json', '{}');
  repository.write('.gitignore', 'node_modules/\n');
  repository.write('sum.js', 'module.exports = 4;\n');
  repository.write('test/sum.test.js', "require('adds'); if (require('../sum.js') !== 3) process.exit(1);\n");
  repository.write('packages/a/test.js', "require('adds'); require('own');\n");
  repository.commit('a test that fails');
  repository.write('node_modules/adds/index.js', "module.exports = '+';\n");
  repository.write('packages/a/node_modules/own/index.js', '');
  return repository;
}

async function work({ root }: TestRepository, words: string, ...flags: string[]): Promise<OrderRun> {
  const call = ['run', words, '--agent', 'demo', '--workspace', root, '--worktree', '--yes', '--json'];
  return orderRun(await stage.data.run([...call, ...flags]));
}

describe('dependencies in a worktree', { skip: noBubblewrap }, () => {
  test('checks find the packages of the checkout, also with the old tests and by verify', async () => {
    const repository = project();
    const words = '@demo write sum.js module.exports = 3;\n@demo append test/sum.test.js // more';
    const run = await work(repository, words, ...CHECK);
    assert.deepEqual([run.exit, run.own.unchecked], [0, false], run.stdout + run.stderr);
    const verified = await stage.data.run(['verify', run.own.task]);
    assert.equal(verified.status, 0, verified.stdout + verified.stderr);
    assert.equal((await stage.data.run(['apply', run.own.task])).status, 0);
    assert.equal(repository.git('status', '--porcelain'), 'M sum.js\n M test/sum.test.js');
  });

  test('submodules and filtered files, which a worktree lacks, are named; a check that needs them could not run', async () => {
    const library = stage.repository();
    library.write('s', 'one\n');
    library.commit('library');
    const repository = stage.repository();
    repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib');
    repository.write('.gitattributes', '*.bin filter=lfs diff=lfs\n');
    repository.commit('submodule');
    const call = ['run', '@demo write a.txt x', '--agent', 'demo', '--workspace', repository.root, '--worktree'];
    const plan = await stage.data.run([...call, '--dry-run']);
    const text = plan.stdout.replaceAll(/\s+/g, ' ');
    assert.match(text, /the worktree will not have the files of the submodule lib: a run in place has them/);
    assert.match(text, /the worktree will have \*\.bin as git stores them, without Git LFS/);
    const run = await work(repository, '@demo write a.txt x', '--check', 'cat lib/s', '--retries', '0');
    assert.deepEqual([run.exit, run.own.unchecked], [3, true], run.stdout + run.stderr);
    assert.match(run.stdout, /the submodule lib has no files here: run in place, or check it out/);
    assert.equal((await stage.data.run(['apply', run.own.task, '--branch', 'taken'])).status, 0);
    const undone = await stage.data.run(['undo', run.own.task]);
    assert.match(undone.stderr, /was applied as the branch taken.*git branch -D taken/s);
  });

  test('an agent reads them and cannot change them', async () => {
    const repository = project();
    const script = [
      'node -e "require(\'adds\')" && echo read > read.txt',
      'echo spoilt > node_modules/adds/index.js',
      'rm -rf node_modules packages/a/node_modules',
      'mv node_modules gone; true',
    ].join('; ');
    const task = taskFor('runs-a-script', repository.root, { task: { objective: script } });
    const run = await stage.run(task, '--worktree');
    const diff = await stage.data.run(['diff', run.own.task, '--stat']);
    assert.match(diff.stdout, /^read\.txt +added +\+1 -0$/m, run.stdout + diff.stdout + diff.stderr);
    assert.equal(repository.read('node_modules/adds/index.js'), "module.exports = '+';\n");
    assert.ok(existsSync(join(repository.root, 'packages/a/node_modules/own/index.js')));
  });

  test('the plan names what is missing and the setting that cures it, and the agent is not blamed', async () => {
    const repository = project();
    rmSync(join(repository.root, 'node_modules'), { recursive: true });
    symlinkSync('/nowhere', join(repository.root, 'node_modules'));
    const call = ['run', '@demo write sum.js module.exports = 3;', '--agent', 'demo', '--workspace', repository.root];
    const plan = await stage.data.run([...call, '--worktree', '--dry-run', ...CHECK]);
    assert.equal(plan.status, 0, plan.stderr);
    assert.match(
      plan.stdout,
      /^note {4}the worktree will have no node_modules, which package\.json asks for: baton config set worktree\.setup '\["npm ci"\]' installs it in worktrees$/m,
    );
    const run = await work(repository, '@demo write sum.js module.exports = 3;', ...CHECK);
    assert.deepEqual([run.exit, run.own.unchecked], [3, true], run.stdout);
    assert.match(run.stdout, /could not run/);
    assert.match(run.stdout, /there is no node_modules, which package\.json asks for/);
  });

  test('a check that ran in the folder before has failed where a module is missing, in later rounds, too', async () => {
    const repository = project();
    rmSync(join(repository.root, 'node_modules'), { recursive: true });
    repository.write('plain.js', "require('./sum.js');\n");
    repository.commit('a check without packages');
    const check = ['--check', 'node plain.js'];
    const call = ['run', "@demo write sum.js require('./gone.js');", '--agent', 'demo', '--yes', '--json'];
    const run = orderRun(await stage.data.run([...call, '--workspace', repository.root, ...check]));
    assert.deepEqual([run.exit, run.own.unchecked, run.response.timing?.retries_attempted], [1, false, 1], run.stdout);
    const more = await stage.data.run(['continue', run.own.task, '@demo write other.txt x', '--yes', '--json']);
    assert.equal(more.status, 1, more.stdout + more.stderr);
  });

  test('a folder that the setup made is used in place of the shared one', async () => {
    const repository = project();
    stage.configure({
      worktree: { setup: ['mkdir -p node_modules/adds', 'touch node_modules/adds/index.js node_modules/own.txt'] },
    });
    try {
      const run = await work(
        repository,
        '@demo write sum.js module.exports = 3;',
        '--check',
        'test -e node_modules/own.txt',
      );
      assert.equal(run.exit, 0, run.stdout + run.stderr);
    } finally {
      stage.configure();
    }
    assert.equal(existsSync(join(repository.root, 'node_modules/own.txt')), false);
  });

  test('a setup gets the network of the configuration, and one that fails is told line by line', async () => {
    const { root } = project();
    const setup = [
      `node -e "console.error('said\\\\n'+(process.env.HTTPS_PROXY?'has a way out':'has none'));process.exit(7)"`,
    ];
    const call = ['run', '@demo write a.txt x', '--agent', 'demo', '--workspace', root, '--worktree', '--yes'];
    try {
      stage.configure({ worktree: { setup } });
      const offline = await stage.data.run(call);
      assert.match(
        offline.stdout,
        /worktree\.setup: node .* ended with 7; it may reach no host: --net npm, or baton config set/,
      );
      assert.match(offline.stdout, /^ {6}said\n {6}has none$/m);
      stage.configure({ worktree: { setup }, network: { restricted: ['packages.example'] } });
      const online = await stage.data.run(call);
      assert.match(online.stdout, /ended with 7; it may reach packages\.example: /);
      assert.match(online.stdout, /^ {6}said\n {6}has a way out$/m);
      assert.doesNotMatch(online.stdout, /u000a/);
    } finally {
      stage.configure();
    }
  });
});
