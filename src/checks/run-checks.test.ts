import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { spawnCommand } from '../../test/support/work/spawn-command.ts';
import type { MadeCheck } from '../domain/execution/check-result.ts';
import type { PlannedCheck } from '../domain/work/plan-verification.ts';
import { type CheckParts, runChecks } from './run-checks.ts';

let folder = '';
let workspaceRoot = '';

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-checks-'));
  workspaceRoot = join(folder, 'work space');
  mkdirSync(join(workspaceRoot, 'sub'), { recursive: true });
  mkdirSync(join(folder, 'granted'));
  writeFileSync(join(workspaceRoot, 'a.txt'), 'foo\nbar\n');
  writeFileSync(join(workspaceRoot, 'two words.txt'), '');
  writeFileSync(join(folder, 'secret.txt'), 'x');
  writeFileSync(join(folder, 'granted', 'b.txt'), 'x');
  symlinkSync('../secret.txt', join(workspaceRoot, 'leads-out'));
  symlinkSync('a.txt', join(workspaceRoot, 'leads-in'));
  symlinkSync('nowhere', join(workspaceRoot, 'dangles'));
  symlinkSync('loops', join(workspaceRoot, 'loops'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function parts(more: Partial<CheckParts> = {}): CheckParts {
  const places = { workspaceRoot, readPaths: [join(folder, 'granted')], mounts: [] };
  return { run: spawnCommand, places, isShellAllowed: false, ...more };
}

const CHECK: PlannedCheck = { id: 'a', kind: 'check', command: null, expects: 'exit-code-0', path: null };

async function made(check: Partial<PlannedCheck>, more: Partial<CheckParts> = {}): Promise<MadeCheck> {
  const [only] = await runChecks([{ ...CHECK, ...check }], parts(more));
  assert.ok(only);
  return only;
}

test('a command runs in the workspace, by its words, and is told with its exit and its output', async () => {
  const check = await made({ command: `grep -n 'f.o' a.txt`, expects: 'match-found' });
  assert.ok(check.durationMs >= 0);
  assert.deepEqual(
    { ...check, durationMs: 0 },
    {
      id: 'a',
      kind: 'check',
      command: `grep -n 'f.o' a.txt`,
      argv: ['grep', '-n', 'f.o', 'a.txt'],
      expects: 'match-found',
      path: null,
      result: 'passed',
      reason: 'a match was found',
      exitCode: 0,
      signal: null,
      stdoutTail: '1:foo\n',
      stderrTail: '',
      durationMs: 0,
    },
  );
});

const COMMANDS: ReadonlyArray<readonly [Partial<PlannedCheck>, MadeCheck['result']]> = [
  [{ command: 'true' }, 'passed'],
  [{ command: 'false' }, 'failed'],
  [{ command: 'no-such-program-here' }, 'could-not-run'],
  [{ command: `sh -c 'kill -9 $$'` }, 'could-not-run'],
  [{ command: `sh -c 'exit 127'` }, 'could-not-run'],
  [{ command: 'echo a | cat' }, 'could-not-run'],
  [{}, 'could-not-run'],
  [{ command: 'grep -q foo a.txt', expects: 'match-found' }, 'passed'],
  [{ command: 'grep nothing a.txt', expects: 'match-found' }, 'failed'],
  [{ command: 'grep foo missing.txt', expects: 'match-found' }, 'could-not-run'],
  [{ command: 'grep nothing a.txt', expects: 'no-match' }, 'passed'],
  [{ command: 'true', expects: 'no-match' }, 'passed'],
  [{ command: 'grep foo a.txt', expects: 'no-match' }, 'failed'],
  [{ command: 'grep -q foo a.txt', expects: 'no-match' }, 'failed'],
];

for (const [check, result] of COMMANDS) {
  test(`${check.expects ?? 'exit-code-0'} of ${check.command ?? 'no command'} is ${result}`, async () => {
    assert.equal((await made(check)).result, result);
  });
}

const FILES: ReadonlyArray<readonly [string, MadeCheck['result']]> = [
  ['a.txt', 'passed'],
  ['./sub/../a.txt', 'passed'],
  ['sub', 'passed'],
  ['sub/', 'passed'],
  ['a.txt/', 'failed'],
  ['a.txt/x', 'could-not-run'],
  ['two words.txt', 'passed'],
  ['leads-in', 'passed'],
  ['missing.txt', 'failed'],
  ['missing/deep/er.txt', 'failed'],
  ['dangles', 'failed'],
  ['leads-out', 'could-not-run'],
  ['../secret.txt', 'could-not-run'],
  ['../missing.txt', 'could-not-run'],
  ['/etc/passwd', 'could-not-run'],
  ['loops', 'could-not-run'],
  ['C:/a.txt', 'could-not-run'],
  ['..', 'could-not-run'],
  ['', 'could-not-run'],
];

for (const [path, result] of FILES) {
  test(`file-exists of ${JSON.stringify(path)} is ${result}, as a path and as a command`, async () => {
    assert.equal((await made({ path, expects: 'file-exists' })).result, result);
    assert.equal((await made({ command: path, expects: 'file-exists' })).result, result);
  });
}

test('file-exists looks at the path of an output before its command, and starts nothing', async () => {
  const run = () => assert.fail('nothing is to be run');
  const check = await made({ path: 'a.txt', command: 'missing.txt', expects: 'file-exists' }, { run });
  assert.equal(check.result, 'passed');
  assert.equal((await made({ command: `'two words.txt'`, expects: 'file-exists' }, { run })).result, 'passed');
});

test('a file beside the workspace is found where the task may read', async () => {
  assert.equal((await made({ path: join(folder, 'granted/b.txt'), expects: 'file-exists' })).result, 'passed');
  assert.equal((await made({ path: '../granted/c.txt', expects: 'file-exists' })).result, 'failed');
});

test('where a worktree stands at the place of the workspace, its files are looked for', async () => {
  const worktree = join(folder, 'worktree');
  mkdirSync(worktree, { recursive: true });
  writeFileSync(join(worktree, 'only-there.txt'), '');
  const places = { workspaceRoot, readPaths: [], mounts: [{ from: worktree, at: workspaceRoot }] };
  for (const path of ['only-there.txt', join(workspaceRoot, 'only-there.txt')]) {
    assert.equal((await made({ path, expects: 'file-exists' }, { places })).result, 'passed');
  }
  assert.equal((await made({ path: 'a.txt', expects: 'file-exists' }, { places })).result, 'failed');
});

test('a command that does not end is ended, and could not run', async () => {
  const check = await made({ command: 'sleep 60' }, { timeoutMs: 50 });
  assert.equal(check.result, 'could-not-run');
  assert.match(check.reason, /in time/);
});

test('of a long output the last is kept, and no half of a character', async () => {
  const check = await made({ command: `sh -c 'yes ä😀 | head -n 5000; echo end; echo bad >&2'` });
  assert.ok(Buffer.byteLength(check.stdoutTail) <= 4096);
  assert.ok(Buffer.byteLength(check.stdoutTail) > 4090);
  assert.match(check.stdoutTail, /ä😀\nend\n$/);
  assert.doesNotMatch(check.stdoutTail, /\ufffd/);
  assert.equal(check.stderrTail, 'bad\n');
});

test('with leave, a shell reads what needs one', async () => {
  const check = await made({ command: 'cat a.txt | grep -c o', expects: 'match-found' }, { isShellAllowed: true });
  assert.equal(check.result, 'passed');
  assert.deepEqual(check.argv, ['/bin/sh', '-c', 'cat a.txt | grep -c o']);
});

test('checks are made in order, and once a person stops the run no more of them', async () => {
  const ran: string[] = [];
  const stop = new AbortController();
  const checks = ['echo 1', 'echo 2', 'echo 3'].map((command): PlannedCheck => {
    return { ...CHECK, id: command, command };
  });
  const run: CheckParts['run'] = async (command) => {
    ran.push(command.argv.join(' '));
    if (ran.length === 2) stop.abort();
    return await spawnCommand(command);
  };
  const results = await runChecks(checks, parts({ run, signal: stop.signal }));
  assert.deepEqual(ran, ['echo 1', 'echo 2']);
  assert.deepEqual(
    results.map(({ result }) => result),
    ['passed', 'passed', 'could-not-run'],
  );
});
