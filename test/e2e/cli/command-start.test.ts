import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { RunStage } from '../../support/run-stage.ts';
import { TestDaemon } from '../../support/test-daemon.ts';

const scratch = scratchFolder('start');

// Each alone takes as long to load as all of a short command that goes to a node.
const HEAVY = ['internal/deps/undici/undici', 'crypto', 'sqlite', 'https', 'child_process', 'worker_threads'];
const FILES_MAX = 20;
const FILES_OF_A_NODE_MAX = 35;
const TELL = `
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  let files = 0;
  registerHooks({ load: (url, context, next) => { if (url.startsWith('file:')) files++; return next(url, context); } });
  process.on('exit', () => writeSync(3, JSON.stringify({ files, builtins: process.moduleLoadList })));
`;

test('a command through a node loads few files, and nothing that is slow to load', async () => {
  const folder = new DataFolder(join(scratch, 'data'));
  const daemon = await TestDaemon.start(folder.path);
  const environment = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(TELL)}` };
  const { status, extra } = await folder.run(['status'], { environment });
  await daemon.end('SIGTERM');
  assert.equal(status, 0);
  const { files, builtins } = JSON.parse(extra) as { files: number; builtins: readonly string[] };
  const loaded = HEAVY.filter((name) => builtins.includes(`NativeModule ${name}`));
  assert.deepEqual(loaded, []);
  assert.ok(files <= FILES_MAX, `${files} files`);
});

test('a run through a node loads few files, and none of the code of a node', async () => {
  const stage = await RunStage.up('start-run');
  const environment = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(TELL)}` };
  const order = ['run', '@demo write a.txt hello', '--agent', 'demo', '--workspace', stage.repository().root, '--yes'];
  const { status, extra, stderr } = await stage.data.run(order, { environment });
  assert.equal(status, 3, stderr);
  const { files, builtins } = JSON.parse(extra) as { files: number; builtins: readonly string[] };
  // A request that creates something carries a random key.
  const loaded = HEAVY.filter((name) => name !== 'crypto' && builtins.includes(`NativeModule ${name}`));
  assert.deepEqual(loaded, []);
  assert.ok(files <= FILES_MAX, `${files} files`);
});

test('a command that is its own node loads few files, and no client of HTTP', async () => {
  const folder = new DataFolder(join(scratch, 'own'));
  await folder.json('init');
  const environment = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(TELL)}` };
  const { status, extra } = await folder.run(['status'], { environment });
  assert.equal(status, 0);
  const { files, builtins } = JSON.parse(extra) as { files: number; builtins: readonly string[] };
  assert.ok(files <= FILES_OF_A_NODE_MAX, `${files} files`);
  assert.equal(builtins.includes('NativeModule internal/deps/undici/undici'), false);
});
