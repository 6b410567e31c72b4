import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Receipt } from '../../../src/checks/receipt.ts';
import { type OrderRun, orderRun, output, RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.up('run-old-tests');
/** Needs an ignored package, as real tests need node_modules. */
const TEST = "require('adds'); if (require('../sum.js') !== 3) process.exit(1);\n";
const NPM_TEST = ['--check', 'node test/sum.test.js'];

/** A repository whose test fails until sum.js is right. */
function project(sum = '4'): TestRepository {
  const repository = stage.repository();
  repository.write('.gitignore', 'node_modules/\n.env\n');
  repository.write('sum.js', `module.exports = ${sum};\n`);
  repository.write('test/sum.test.js', TEST);
  repository.commit('a test that fails');
  repository.write('node_modules/adds/index.js', "module.exports = '+';\n");
  repository.write('.env', 'KEY=1\n');
  return repository;
}

/** With more ignored files than are copied. */
function withLargeFolder(repository: TestRepository): TestRepository {
  for (let at = 0; at < 2_001; at += 1) repository.write(`node_modules/adds/f${at}.js`, '');
  return repository;
}

async function work({ root }: TestRepository, words: string, ...flags: string[]): Promise<OrderRun> {
  return orderRun(await stage.data.run(['run', words, '--agent', 'demo', '--workspace', root, '--json', ...flags]));
}

function receiptOf({ own }: OrderRun): Receipt {
  return JSON.parse(readFileSync(own.receipt ?? '', 'utf8'));
}

function warnings({ response }: OrderRun): string {
  return response.execution_summary?.warnings?.join('\n') ?? '';
}

describe('tests that the work changed', { concurrency: 2, skip: noBubblewrap }, () => {
  test('a test replaced by one that always passes does not make the work checked', async () => {
    const repository = project();
    const run = await work(repository, '@demo write test/sum.test.js process.exit(0)', ...NPM_TEST);
    assert.deepEqual([run.exit, run.own.unchecked], [3, true], run.stdout);
    assert.match(warnings(run), /unchecked: passes only with the tests it changed: test\/sum\.test\.js/);
    const { oldTests, verdict } = receiptOf(run);
    assert.deepEqual([oldTests?.files, oldTests?.result], [['test/sum.test.js'], 'failed']);
    assert.equal(verdict.isChecked, false);
    const shown = await stage.data.run(['task', 'show', run.own.task]);
    assert.match(shown.stdout, /unchecked/);
    const verified = await stage.data.run(['verify', run.own.task]);
    assert.equal(verified.status, 1, verified.stdout);
    assert.match(verified.stdout, /the run passed only with the tests it changed: test\/sum\.test\.js/);
  });

  test('the person reads why it is unchecked', async () => {
    const { root } = project();
    const call = ['run', '@demo write test/sum.test.js process.exit(0)', '--agent', 'demo', '--workspace', root];
    const { status, stdout, stderr } = await stage.data.run([...call, ...NPM_TEST]);
    assert.equal(status, 3);
    assert.match(stdout + stderr, /unchecked {2}TASK-\S+: passes only with the tests it changed: test\/sum\.test\.js;/);
  });

  test('work that passes the old test and a changed one is checked, and the files stay as they are', async () => {
    const repository = project();
    const words = `@demo write sum.js module.exports = 3;\n@demo append test/sum.test.js // one more line`;
    const run = await work(repository, words, ...NPM_TEST);
    assert.equal(run.exit, 0, run.stdout);
    assert.equal(receiptOf(run).oldTests?.result, 'passed');
    assert.match(warnings(run), /the checks pass with the earlier versions, too, of test\/sum\.test\.js/);
    assert.equal(repository.read('test/sum.test.js'), `${TEST}// one more line\n`);
    const left = readdirSync(join(stage.data.path, 'scratch')).filter((name) => name.startsWith(run.own.task));
    assert.deepEqual(left, []);
  });

  test('a removed test file that the check runs as a folder comes back in the copy', async () => {
    const repository = project();
    repository.write('run-all.sh', 'for file in test/*.js; do [ ! -e "$file" ] || node "$file" || exit 1; done\n');
    repository.commit('a runner');
    const run = await work(repository, '@demo delete test/sum.test.js', '--check', 'sh run-all.sh');
    assert.equal(run.exit, 3, run.stdout);
    assert.deepEqual(receiptOf(run).oldTests?.files, ['test/sum.test.js']);
    assert.equal(existsSync(join(repository.root, 'test/sum.test.js')), false);
  });

  test('a new configuration of the runner that leaves tests out is noticed', async () => {
    const repository = project();
    const runner = "if (!require('fs').existsSync('vitest.config.js')) require('./test/sum.test.js');\n";
    repository.write('run-tests.js', runner);
    repository.commit('a runner');
    const run = await work(repository, '@demo write vitest.config.js skip', '--check', 'node run-tests.js');
    assert.equal(run.exit, 3, run.stdout);
    assert.deepEqual(receiptOf(run).oldTests?.files, ['vitest.config.js']);
  });

  test('a new test is welcome where the earlier ones alone pass too', async () => {
    const repository = project();
    const words = '@demo write sum.js module.exports = 3;\n@demo write test/more.test.js 1;';
    const run = await work(repository, words, ...NPM_TEST);
    assert.equal(run.exit, 0, run.stdout);
    const { oldTests } = receiptOf(run);
    assert.deepEqual([oldTests?.added, oldTests?.result], [['test/more.test.js'], 'passed']);
    assert.doesNotMatch(warnings(run), /test\/more/);
  });

  test('the first tests of a repository are compared with nothing', async () => {
    const repository = stage.repository();
    repository.write('run-all.sh', 'for file in test/*.js; do node "$file" || exit 1; done\n');
    repository.commit('a runner');
    const run = await work(repository, '@demo write test/more.test.js 1;', '--check', 'sh run-all.sh');
    assert.deepEqual([run.exit, receiptOf(run).oldTests], [0, undefined], run.stdout);
  });

  test('a TASK that expects the test file asked for exactly that', async () => {
    const repository = project();
    const validation = { command: 'node test/sum.test.js', expects: 'EXIT_CODE_0' };
    const objective = '@demo write test/sum.test.js process.exit(0)';
    const expected_outputs = [output('test/sum.test.js', { validation })];
    const run = await stage.run(taskFor('demo', repository.root, { task: { objective, expected_outputs } }));
    assert.equal(run.exit, 0, run.stdout);
    assert.equal(receiptOf(run).oldTests, undefined);
  });

  test('an honest change of a test stays checked where the checks write to ignored folders', async () => {
    const repository = withLargeFolder(project('3'));
    const writes = ["'coverage/x'", "'node_modules/.cache/y'"]
      .map((path) => `fs.writeFileSync(${path}, '');`)
      .join(' ');
    repository.write('.gitignore', 'node_modules/\n.env\ncoverage/\n');
    repository.write(
      'test/sum.test.js',
      `const fs = require('fs'); fs.readdirSync('coverage/lib64/.'); fs.readdirSync('node_modules/tests/.'); fs.mkdirSync('node_modules/.cache', { recursive: true }); ${writes} ${TEST}`,
    );
    repository.commit('a test that writes');
    repository.write('coverage/old', '1');
    // As a virtual environment of Python, a workspace of npm and a folder of pnpm have them.
    repository.write('coverage/lib/a', '1');
    symlinkSync('lib', join(repository.root, 'coverage/lib64'));
    symlinkSync('nowhere', join(repository.root, 'coverage/dangling'));
    symlinkSync('../test', join(repository.root, 'node_modules/tests'));
    const words = `@demo write test/sum.test.js ${repository.read('test/sum.test.js').trim()} // and more`;
    const run = await work(repository, words, ...NPM_TEST);
    assert.deepEqual([run.exit, receiptOf(run).oldTests?.result], [0, 'passed'], warnings(run));
  });

  test('a copy in which even the new tests fail proves nothing, and says so', async () => {
    const repository = withLargeFolder(project());
    const words = "@demo write test/sum.test.js require('fs').writeFileSync('node_modules/adds/log', '');";
    const run = await work(repository, words, ...NPM_TEST);
    assert.deepEqual([run.exit, run.own.unchecked], [3, true], run.stdout);
    assert.equal(receiptOf(run).oldTests?.result, 'not-compared');
    assert.match(warnings(run), /it changed tests \(test\/sum\.test\.js\), and the earlier ones could not be tried/);
    assert.match(receiptOf(run).oldTests?.message ?? '', /EROFS|read-only/, 'what it printed');
  });

  test('words that change nothing prove nothing if every check passed before', async () => {
    const run = await work(project('3'), '@demo say nothing to do', ...NPM_TEST);
    assert.deepEqual([run.exit, run.own.unchecked], [3, true], run.stdout);
    assert.match(warnings(run), /no file was changed and every check passed before, so nothing was proven/);
  });

  test('a check that an ignored file makes pass proves nothing', async () => {
    const repository = project();
    repository.write('run-tests.js', "if (!require('fs').existsSync('.env.done')) process.exit(1);\n");
    repository.write('.gitignore', 'node_modules/\n.env*\n');
    repository.commit('a runner');
    const run = await work(repository, '@demo write .env.done 1', '--check', 'node run-tests.js');
    assert.deepEqual([run.exit, run.own.unchecked], [3, true], run.stdout);
    assert.match(warnings(run), /a check that failed before passes now, but no file that git records was changed/);
  });

  test('in a worktree the same holds', async () => {
    const repository = project();
    const settings = { worktree: { include: ['node_modules/adds/index.js'] } };
    stage.configure(settings);
    const run = await work(repository, '@demo write test/sum.test.js process.exit(0)', '--worktree', ...NPM_TEST);
    assert.equal(run.exit, 3, run.stdout);
    assert.equal(receiptOf(run).oldTests?.result, 'failed');
  });

  // Which files judge is in src/domain/work/find-judging-files.test.ts and find-added-judges.test.ts; here they meet real checks.
  for (const [check, changed, files] of [
    ['npm test', 't.js', { 'package.json': '{"scripts":{"test":"node t.js"}}', 't.js': 'process.exit(1)\n' }],
    ['sh qa/all', 'qa/answers.csv', { 'qa/all': 'cmp sum.js qa/answers.csv\n', 'qa/answers.csv': '3\n' }],
  ] as const) {
    test(`${changed} behind ${check} does not make the work checked`, async () => {
      const repository = stage.repository();
      repository.write('sum.js', '4\n');
      for (const [path, text] of Object.entries(files)) repository.write(path, text);
      repository.commit('a check that fails');
      const words = changed.endsWith('.csv') ? `@demo write ${changed} 4` : `@demo write ${changed} `;
      const run = await work(repository, words, '--check', check);
      assert.deepEqual([run.exit, run.own.unchecked], [3, true], run.stdout);
      assert.deepEqual(receiptOf(run).oldTests?.files, [changed]);
    });
  }
});

/** Loads all tests in one process, as many runners do. */
const LOADS_ALL =
  "for (const name of require('fs').readdirSync('test').sort()) if (name.endsWith('.js')) require('./test/' + name);\n";

describe('files that the work added', { concurrency: 2, skip: noBubblewrap }, () => {
  for (const [what, script, file, isLarge] of [
    ['a test that ends the process', 'echo "process.exit(0)" > test/000.js', 'test/000.js', false],
    [
      'a program that npm finds first',
      'mkdir -p node_modules/.bin; printf "#!/bin/sh\\nexit 0\\n" > node_modules/.bin/node; chmod +x node_modules/.bin/node',
      'node_modules/.bin/node',
      false,
    ],
    [
      'a module beside the package, in a folder too large to copy',
      'echo "process.exit(0)" > node_modules/adds.js',
      'node_modules/adds.js',
      true,
    ],
  ] as const) {
    for (const place of file.endsWith('.bin/node') ? [[], ['--worktree']] : [[]]) {
      test(`${what} does not make broken code checked ${place.join('')}`, async () => {
        const repository = project();
        if (isLarge) withLargeFolder(repository);
        repository.write('all.js', LOADS_ALL);
        repository.write('package.json', '{"scripts":{"test":"node all.js"}}');
        repository.write('node_modules/adds/package.json', '{}');
        repository.commit('a runner');
        const task = { objective: `${script}; echo "// still 4" >> sum.js` };
        const run = await stage.run(
          taskFor('runs-a-script', repository.root, { task }),
          '--check',
          'npm test',
          ...place,
        );
        assert.deepEqual([run.exit, run.own.unchecked], [3, true], run.stdout);
        const { oldTests } = receiptOf(run);
        assert.deepEqual([oldTests?.added, oldTests?.result], [[file], 'failed'], oldTests?.message);
        assert.match(warnings(run), /unchecked: passes only with the files it added: /);
      });
    }
  }

  test('a package that nothing had before is no judge', async () => {
    const repository = project();
    const script = 'mkdir -p node_modules/three; echo "module.exports = 3" > node_modules/three/index.js';
    const objective = `${script}; echo "module.exports = require('three')" > sum.js`;
    const run = await stage.run(taskFor('runs-a-script', repository.root, { task: { objective } }), ...NPM_TEST);
    assert.deepEqual([run.exit, receiptOf(run).oldTests], [0, undefined], run.stdout);
  });
});
