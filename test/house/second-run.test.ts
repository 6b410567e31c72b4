import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runShared } from '../../scripts/run-shared.mjs';
import { nameUnsteady } from '../../scripts/second-run.mjs';
import { report } from '../../scripts/test-report.mjs';

const root = mkdtempSync(join(tmpdir(), 'baton-second-run-'));
after(() => rmSync(root, { recursive: true }));

const HEAD = `import assert from 'node:assert/strict'; import { existsSync, writeFileSync } from 'node:fs'; import { test } from 'node:test';\n`;
const FIRST_TIME = `const isFirst = !existsSync(import.meta.filename + '.ran'); writeFileSync(import.meta.filename + '.ran', '');\n`;

function write(name: string, text: string): string {
  const path = join(root, `${name}.test.mjs`);
  writeFileSync(path, HEAD + text);
  return path;
}

async function runTwice(files: readonly string[]) {
  let output = '';
  const take = (text: string) => {
    output += text;
  };
  const run = (paths: string[]) => report(runShared(paths, { timeoutMs: 60_000, processes: 1 }), root, () => undefined);
  const first = await run([...files]);
  const unsteady = await nameUnsteady(first, run, { root, write: take });
  return { first, unsteady, output };
}

test('a file that passes only on its second run is named UNSTEADY, and its failure stays', async () => {
  const unsteady = write('unsteady', `${FIRST_TIME}test('a', () => assert.equal(isFirst, false));`);
  const broken = write('broken', `test('b', () => assert.equal(1, 2));`);
  const run = await runTwice([unsteady, write('fine', `test('c', () => undefined);`), broken]);
  assert.deepEqual([run.first.passed, run.first.failed], [1, 2]);
  assert.deepEqual(run.unsteady, [unsteady]);
  assert.deepEqual(run.output.match(/^UNSTEADY .*$/gm), [
    'UNSTEADY unsteady.test.mjs: failed beside other tests, passed alone',
  ]);
});

test('a file that ran no test the second time is not named, and of many failed files none runs again', async () => {
  const skips = `${FIRST_TIME}test('a', { skip: isFirst ? false : 'gone' }, () => assert.fail());`;
  assert.deepEqual((await runTwice([write('skips', skips)])).unsteady, []);
  const many = ['1', '2', '3', '4'].map((name) =>
    write(name, `${FIRST_TIME}test('a', () => assert.equal(isFirst, false));`),
  );
  const run = await runTwice(many);
  assert.deepEqual([run.first.failed, run.unsteady, run.output], [4, [], '']);
});

test('a run without a failure has no second one', async () => {
  const run = await runTwice([write('passes', `test('a', () => undefined);`)]);
  assert.deepEqual([run.first.failed, run.unsteady, run.output], [0, [], '']);
});
