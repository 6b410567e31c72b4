import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { longestFirst, longTests } from '../../scripts/longest-first.mjs';
import { mayShareProcess } from '../../scripts/may-share-process.mjs';
import { runShared } from '../../scripts/run-shared.mjs';
import { report } from '../../scripts/test-report.mjs';
import { projectPaths } from './source-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-shared-'));
after(() => rmSync(folder, { recursive: true }));

const HEAD = `import { test } from 'node:test'; import assert from 'node:assert/strict';\n`;
const PASSES = `${HEAD}test('passes', () => undefined);`;

function write(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files).map(([name, text]) => {
    const path = join(folder, `${name}.test.mjs`);
    writeFileSync(path, text);
    return path;
  });
}

async function reported(files: Readonly<Record<string, string>>, options: { timeoutMs?: number } = {}) {
  let output = '';
  const events = runShared(write(files), { timeoutMs: 60_000, processes: 1, ...options });
  const { passed, failed, skipped } = await report(events, folder, (text: string) => {
    output += text;
  });
  return { totals: { passed, failed, skipped }, output };
}

test('files share a process, and each has its own line', async () => {
  const { totals, output } = await reported({
    a: `${HEAD}globalThis.seen = process.pid; test('first', () => undefined); test('out', { skip: 'why' }, () => undefined);`,
    b: `${HEAD}test('same process', () => assert.equal(globalThis.seen, process.pid)); test('wrong', () => assert.equal(1, 2));`,
    c: PASSES,
  });
  assert.deepEqual(totals, { passed: 3, failed: 1, skipped: 1 });
  assert.match(output, /· a\.test\.mjs: 1 passed, 1 skipped, \d+ ms/);
  assert.match(output, /✗ b\.test\.mjs: 1 passed, 1 failed, \d+ ms/);
  assert.match(output, /✗ b\.test\.mjs › wrong\n {4}AssertionError/);
  assert.match(output, /· c\.test\.mjs: 1 passed/);
});

test('a file that ends its process fails by name, with what it printed, and the others run', async () => {
  const crash = `${HEAD}test('crash', () => { process.stderr.write('last words\\n'); process.exit(7); });`;
  const { totals, output } = await reported({ a: PASSES, crash, loads: 'process.exit(3);', z: PASSES });
  assert.deepEqual(totals, { passed: 2, failed: 2, skipped: 0 });
  assert.match(output, /✗ crash\.test\.mjs › the file itself\n {4}ended its process \(7\) before its tests were over/);
  assert.match(output, /\| last words/);
  assert.match(output, /✗ loads\.test\.mjs › the file itself\n {4}ended its process \(3\)/);
});

test('a file that hangs fails by name, and the others run', async () => {
  const hangs = `${HEAD}test('hangs', () => { for (;;); });`;
  const waits = `${HEAD}test('waits', () => new Promise(() => undefined));`;
  const { totals, output } = await reported({ a: PASSES, hangs, waits, z: PASSES }, { timeoutMs: 2_000 });
  assert.equal(totals.passed, 2);
  assert.match(output, /✗ hangs\.test\.mjs › the file itself\n {4}did not end within 2 s/);
  assert.match(output, /✗ waits\.test\.mjs: 0 passed/);
});

test('a file that cannot be loaded or holds no test fails', async () => {
  const { totals, output } = await reported({ broken: `throw new Error('not today');`, empty: '', z: PASSES });
  assert.deepEqual(totals, { passed: 1, failed: 2, skipped: 0 });
  assert.match(output, /✗ broken\.test\.mjs › the file itself\n {4}Error: not today/);
  assert.match(output, /✗ empty\.test\.mjs › the file itself\n {4}holds no test/);
});

test('a file that leaves something behind in the process fails', async () => {
  const { totals, output } = await reported({
    timer: `${HEAD}setInterval(() => undefined, 1000); test('a', () => undefined);`,
    environment: `${HEAD}test('a', () => { process.env.LEFT = 'behind'; });`,
    late: `${HEAD}test('a', () => { setImmediate(() => { throw new Error('too late'); }); });`,
    z: PASSES,
  });
  assert.deepEqual(totals, { passed: 4, failed: 3, skipped: 0 });
  assert.match(output, /✗ timer\.test\.mjs › the file itself\n.*left open.*Timeout/);
  assert.match(output, /✗ environment\.test\.mjs › the file itself\n.*changed the environment/);
  assert.match(output, /✗ late\.test\.mjs › the file itself\n {4}Error: too late/);
});

test('a file shares a process unless it reaches a module that holds the machine', () => {
  const reach = (text: string) => {
    const [file = ''] = write({ reaches: text });
    return mayShareProcess()(file);
  };
  write({ pure: `import { basename, join } from 'node:path';`, spawns: `import { spawn } from 'node:child_process';` });
  assert.equal(reach(`import './pure.test.mjs';`), true);
  assert.equal(reach(`import { x } from './spawns.test.mjs';`), false);
  assert.equal(reach(`const x = await import('./spawns.test.mjs');`), false);
  assert.equal(reach(`export { x } from './spawns.test.mjs';`), false);
  assert.equal(reach(`import type { x } from './spawns.test.mjs';`), true);
  assert.equal(reach(`import {\n  execFileSync,\n  spawnSync,\n} from 'node:child_process';`), true);
  assert.equal(reach(`import { execFileSync, spawn } from 'node:child_process';`), false);
  assert.equal(reach(`import { DatabaseSync } from 'node:sqlite';`), false);
  assert.equal(reach(`import * as z from 'zod';`), true);
  assert.equal(reach(`import fastify from 'fastify';`), false);
  assert.equal(reach(`beforeEach(() => undefined);`), false);
});

test('the files that take long start first, whatever folder they are in, the others by path', () => {
  const files = ['/r/b/short.test.ts', '/r/a/short.test.ts', '/r/moved/long.test.ts', '/r/longer.test.ts'];
  const ordered = longestFirst(files, { 'long.test.ts': 20, 'longer.test.ts': 30 });
  assert.deepEqual(ordered, ['/r/longer.test.ts', '/r/moved/long.test.ts', '/r/a/short.test.ts', '/r/b/short.test.ts']);
});

test('every file that is listed as long exists', () => {
  const names = new Set(projectPaths().map((path) => basename(path)));
  assert.deepEqual(
    Object.keys(longTests()).filter((name) => !names.has(name)),
    [],
    'scripts/long-tests.json',
  );
});
