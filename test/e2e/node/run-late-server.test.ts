import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { inTime } from '../../support/in-time.ts';
import { linesOf } from '../../support/run-baton.ts';
import { noTerminal, TerminalRun } from '../../support/terminal-run.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

const scratch = scratchFolder('late-server');

// Notes programs that are started and files of Baton that are loaded, in order.
const TELL = `
  import child from 'node:child_process';
  import { registerHooks, syncBuiltinESMExports } from 'node:module';
  import { writeSync } from 'node:fs';
  const { spawn } = child;
  const seen = [];
  child.spawn = (program, args, ...rest) => {
    seen.push(program.split('/').at(-1) + (args.includes('status') ? ' status' : ''));
    return spawn(program, args, ...rest);
  };
  syncBuiltinESMExports();
  registerHooks({ load: (url, context, next) => { seen.push(url.split('/').at(-1)); return next(url, context); } });
  process.on('exit', () => writeSync(3, JSON.stringify(seen)));
`;

test('git and the trial of the sandbox are started before the code of the node is loaded', {
  skip: noBubblewrap,
}, async () => {
  const repository = new TestRepository();
  const folder = new DataFolder(join(scratch, 'order-data'));
  const environment = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(TELL)}` };
  const args = ['run', '@demo write a.txt x', '--agent', 'demo', '--workspace', repository.root, '--yes', '--json'];
  const run = await folder.run(args, { environment });
  assert.equal(run.status, 3, run.stderr);
  const seen = JSON.parse(run.extra) as readonly string[];
  const at = (pattern: RegExp) => seen.findIndex((name) => pattern.test(name));
  const [status, trial, code] = [at(/^git status$/), at(/^bwrap/), at(/^serve-node-/)];
  assert.ok(status !== -1 && trial !== -1 && status < code && trial < code, seen.join('\n'));
  assert.ok(at(/^start-http-server-/) > code, 'the code of the HTTP server is loaded last');
});

test('a run that waits for an answer of its user can be called by other commands', {
  skip: noTerminal || noBubblewrap,
}, async () => {
  const workspace = join(scratch, 'asks');
  mkdirSync(workspace);
  const folder = new DataFolder(join(scratch, 'asks-data'));
  // Where there is no data folder yet, the question comes before anything is created.
  await folder.json('init');
  const words = ['run', '@demo write a.txt x', '--agent', 'demo', '--workspace', workspace, '--data', folder.path];
  const run = new TerminalRun(words);
  await inTime(run.shows(/\[y\/N\]/), 'the question');
  const status = await folder.run(['status', '--json']);
  assert.equal(status.status, 0, status.stdout + status.stderr);
  assert.equal(linesOf<{ readonly node: unknown }>(status).length, 1);
  assert.ok(folder.has('node.json'), 'the run is the node');
  run.pressCtrlC();
  await inTime(run.ended, 'its end');
  assert.equal(folder.has('node.json'), false);
});
