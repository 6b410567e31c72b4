import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AddedFiles, findAddedJudges } from './find-added-judges.ts';

const BEFORE = new Set([
  'index.js',
  'test/a.js',
  'node_modules/tape/package.json',
  'node_modules/.bin/tape',
  'packages/x/index.js',
]);

function judges(paths: Partial<Pick<AddedFiles, 'recorded' | 'ignored'>>, more: Partial<AddedFiles> = {}) {
  return findAddedJudges({
    recorded: [],
    ignored: [],
    startFolders: ['', 'py/'],
    hadTests: true,
    wasThere: (path) => BEFORE.has(path),
    isProgram: (name) => ['node', 'sh'].includes(name),
    ...paths,
    ...more,
  });
}

test('a new test judges the work where there were tests before', () => {
  for (const path of ['test/000.js', 'py/test_aaa.py', 'main_test.go']) {
    assert.deepEqual(judges({ recorded: [path] }), [path]);
    assert.deepEqual(judges({ recorded: [path] }, { hadTests: false }), []);
    assert.deepEqual(judges({ ignored: [path] }), [path], 'ignored ones are loaded too');
  }
  assert.deepEqual(judges({ recorded: ['src/new.js', 'README.md'], ignored: ['test/out/log.txt', 'dist/a.js'] }), []);
});

test('a new program takes the place of one on the PATH or in a module folder above', () => {
  for (const path of [
    'node_modules/.bin/node',
    'packages/x/node_modules/.bin/tape',
    'packages/x/node_modules/.bin/sh',
    '.venv/bin/node',
    'vendor/bin/sh',
  ]) {
    assert.deepEqual(judges({ ignored: [path] }), [path]);
  }
  assert.deepEqual(judges({ ignored: ['node_modules/.bin/left-pad', '.venv/bin/black'] }), []);
});

test('a new module takes the place of one that was found before; a package that nothing had is welcome', () => {
  for (const path of [
    'test/node_modules/tape/index.js',
    'node_modules/tape.js',
    'node_modules/tape/lib/new.js',
    'node_modules/left-pad/node_modules/tape/index.js',
    '.venv/lib/python3.12/site-packages/evil.pth',
    '.venv/lib/python3.12/site-packages/evil.dist-info/entry_points.txt',
  ]) {
    assert.deepEqual(judges({ ignored: [path] }), [path]);
    assert.deepEqual(judges({ recorded: [path] }), [path]);
  }
  for (const path of [
    'node_modules/left-pad/index.js',
    'node_modules/@scope/pad/index.js',
    'node_modules/.cache/x',
    'node_modules/.package-lock.json',
    '.venv/lib/python3.12/site-packages/black/main.py',
  ]) {
    assert.deepEqual(judges({ ignored: [path] }), [], path);
  }
});

test('a file named like a module of Python takes its place where a check starts', () => {
  for (const path of ['unittest/__init__.py', 'unittest/__main__.py', 'json.py', 'py/argparse.py']) {
    assert.deepEqual(judges({ recorded: [path] }), [path]);
  }
  assert.deepEqual(judges({ recorded: ['app/queue.py', 'money.py', 'docs/json.md'] }), []);
});
