import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MadeCheck } from '../execution/check-result.ts';
import type { ChangedFile } from '../execution/findings.ts';
import { findJudgingFiles, judgesNamedBy, judgesNamedIn } from './find-judging-files.ts';

type Change = readonly [status: ChangedFile['status'], path: string];

function judging(command: string, changes: readonly Change[], outputs: readonly string[] = []): readonly string[] {
  return findJudgingFiles({
    made: [{ argv: command.split(' '), command } as unknown as MadeCheck],
    changed: changes.map(([status, path]) => ({ status, path })),
    outputs: outputs.map((path) => ({ type: 'FILE', path })),
    workspaceRoot: '/shop',
  });
}

const EXISTING_TESTS = [
  'test/x.test.js',
  'src/money.spec.ts',
  'pkg/money_test.go',
  'tests/test_money.py',
  'test_money.py',
  'src/__tests__/money.js',
  'src/test/java/MoneyTest.java',
  'src/__snapshots__/money.test.ts.snap',
];

test('an existing test that was changed or removed judges the work; a new one does not', () => {
  for (const path of EXISTING_TESTS) {
    assert.deepEqual(judging('npm test', [['updated', path]]), [path]);
    assert.deepEqual(judging('npm test', [['deleted', path]]), [path]);
    assert.deepEqual(judging('npm test', [['created', path]]), [], path);
  }
});

test('plain sources judge nothing, whatever their names contain', () => {
  for (const path of [
    'src/money.ts',
    'src/latest.ts',
    'src/jest-worker.ts',
    'npmrc.md',
    'Makefile.am',
    'src/contest/rules.ts',
    'README.md',
    'testimonials.md',
  ]) {
    assert.deepEqual(judging('npm test', [['updated', path]]), [], path);
  }
});

test('a file that a check runs or names judges the work', () => {
  assert.deepEqual(judging('sh ./check.sh', [['updated', 'check.sh']]), ['check.sh']);
  assert.deepEqual(judging('npm test', [['updated', 'package.json']]), ['package.json']);
  assert.deepEqual(judging('tsc --project=tsconfig.build.json', [['updated', 'tsconfig.build.json']]), [
    'tsconfig.build.json',
  ]);
  assert.deepEqual(judging('node scripts/verify.mjs', [['updated', 'scripts/verify.mjs']]), ['scripts/verify.mjs']);
  assert.deepEqual(judging('sh -c make&&./smoke', [['updated', 'Makefile']]), ['Makefile']);
});

test('a file that a check reads or runs as the product is the work', () => {
  assert.deepEqual(judging('grep hello NOTES.md', [['updated', 'NOTES.md']]), []);
  assert.deepEqual(judging('node app.js', [['updated', 'app.js']]), []);
});

test('a script that a check runs judges the work, whatever its name, and so does the configuration it is given', () => {
  for (const [command, path] of [
    ['node quality.mjs', 'quality.mjs'],
    ['python3 gate.py', 'gate.py'],
    ['sh run-all', 'run-all'],
    ['./gate.rb --all', 'gate.rb'],
    ['node --require ./setup.cjs quality.mjs', 'setup.cjs'],
    ['npx jest --config e2e.json', 'e2e.json'],
    ['make -f checks.mk', 'checks.mk'],
  ] as const) {
    assert.deepEqual(judging(command, [['updated', path]]), [path], command);
  }
  const shell = { argv: ['/bin/sh', '-c', 'cd . && node quality.mjs | tail -1'], command: '' } as unknown as MadeCheck;
  assert.ok(judgesNamedBy([shell]).includes('quality.mjs'));
  for (const path of ['src/index.js', 'main.py', 'bin/tool.js']) {
    assert.deepEqual(judging(`node ${path}`, [['updated', path]]), [], path);
  }
});

test('helpers and data beside a judge in its own folder judge too; what lies elsewhere is the work', () => {
  const text =
    "import { add } from '../src/add.js'; import h from './helpers.mjs'; read('qa/answers.csv'); require('./more')";
  const found = judgesNamedIn('qa/run.mjs', text);
  for (const path of ['qa/helpers.mjs', 'qa/answers.csv', 'qa/more.js']) assert.ok(found.includes(path), path);
  assert.ok(!found.includes('src/add.js'), found.join());
  assert.deepEqual(judgesNamedIn('gate.mjs', "import './add.mjs'"), []);
  assert.ok(judgesNamedIn('tools/check.js', "read('../expected.json')").includes('expected.json'));
});

test('the configuration of a test runner judges the work, also where it is new', () => {
  const settings = [
    'vitest.config.ts',
    'jest.config.js',
    'jest.setup.js',
    '.mocharc.json',
    'conftest.py',
    'sub/pytest.ini',
  ];
  const starters = ['.npmrc', '.yarnrc.yml', '.pnpmfile.cjs', '.cargo/config.toml', 'GNUmakefile', 'Taskfile.yml'];
  for (const path of [...settings, ...starters, 'unittest.py', 'test/mocha.opts', '.env.test']) {
    assert.deepEqual(judging('npm test', [['created', path]]), [path]);
    assert.deepEqual(judging('npm test', [['updated', path]]), [path]);
  }
});

test('a file that the order expects as an output is asked for, and judges nothing', () => {
  assert.deepEqual(judging('npm test', [['updated', 'test/x.test.js']], ['test/x.test.js']), []);
  assert.deepEqual(judging('npm test', [['updated', 'test/x.test.js']], ['/shop/test']), []);
  assert.deepEqual(judging('npm test', [['updated', 'test/x.test.js']], ['test/y.test.js']), ['test/x.test.js']);
});

test('judges behind a judge are named in its text, and the product that it runs is not one', () => {
  const manifest = '{"scripts": {"start": "node app.js", "test": "node t.js && sh tools/all.sh"}}';
  assert.deepEqual(judgesNamedIn('package.json', manifest), ['tools/all.sh', 't.js']);
  const makefile = 'run:\n\tnode app.js\ncheck: build\n\tnode cmp.mjs out/a.json\n';
  assert.deepEqual(judgesNamedIn('Makefile', makefile), ['cmp.mjs']);
  const script = 'node app.js > out.txt\ndiff out.txt expected.json';
  assert.deepEqual(judgesNamedIn('check.sh', script), ['expected.json']);
  const inFolder = judgesNamedIn('tools/check.js', "read('./expected.json') === require('../app.js')");
  assert.deepEqual(inFolder, ['expected.json', 'tools/expected.json']);
});
