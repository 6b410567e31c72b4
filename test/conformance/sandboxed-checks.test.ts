import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { demoDriver } from '../../src/agents/drivers/demo/demo-driver.ts';
import { executeCommand } from '../../src/agents/process/execute-command.ts';
import { findSandbox } from '../../src/agents/sandbox/find-sandbox.ts';
import type { Sandbox } from '../../src/agents/sandbox/sandbox.ts';
import { type RunCommand, runChecks } from '../../src/checks/run-checks.ts';
import type { MadeCheck } from '../../src/domain/execution/check-result.ts';
import { isRefusal } from '../../src/domain/refusal.ts';
import { aLaunch } from '../support/agent/a-launch.ts';
import { NOTHING, noBubblewrap, PLAIN_ENV, scratchFolder, startProcess } from '../support/test-process.ts';

const options = { skip: noBubblewrap };

let found: ReturnType<typeof findSandbox> | undefined;

async function theSandbox(): Promise<Sandbox> {
  found ??= findSandbox();
  const sandbox = await found;
  assert.ok('start' in sandbox, JSON.stringify(sandbox));
  return sandbox;
}

async function check(
  workspace: string,
  command: string,
  expects: MadeCheck['expects'] = 'exit-code-0',
  agentStartedAt?: number,
) {
  const sandbox = await theSandbox();
  const grant = { ...NOTHING, readPaths: [workspace], writePaths: [workspace] };
  const run: RunCommand = (request) => executeCommand(sandbox, { ...request, env: PLAIN_ENV, grant });
  const places = { workspaceRoot: workspace, readPaths: [], mounts: [] };
  const planned = { id: 'a', kind: 'check', command, expects, path: null } as const;
  const [made] = await runChecks([planned], {
    run,
    places,
    agentStartedAt,
    isShellAllowed: false,
    timeoutMs: command.startsWith('sleep') ? 500 : 60_000,
  });
  assert.ok(made);
  return made;
}

test('a check in the sandbox has the results of one outside, and reaches no further', options, async () => {
  const folder = scratchFolder();
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'a.txt'), 'foo\n');
  writeFileSync(join(folder, 'secret.txt'), 'foo\n');
  const results: ReadonlyArray<readonly [string, MadeCheck['expects'], MadeCheck['result']]> = [
    ['true', 'exit-code-0', 'passed'],
    ['false', 'exit-code-0', 'failed'],
    ['no-such-program-here', 'exit-code-0', 'could-not-run'],
    [`sh -c 'kill -9 $$'`, 'exit-code-0', 'could-not-run'],
    ['sleep 60', 'exit-code-0', 'could-not-run'],
    ['grep foo a.txt', 'match-found', 'passed'],
    ['grep -q foo a.txt', 'match-found', 'passed'],
    ['grep foo a.txt', 'no-match', 'failed'],
    ['grep foo ../secret.txt', 'match-found', 'could-not-run'],
    ['touch made.txt', 'exit-code-0', 'passed'],
  ];
  for (const [command, expects, result] of results) {
    const made = await check(workspace, command, expects);
    assert.equal(made.result, result, JSON.stringify(made));
  }
  assert.ok(existsSync(join(workspace, 'made.txt')));
});

test('the demo agent works in the sandbox with no more than what it says it needs', options, async () => {
  const workspace = scratchFolder();
  const plan = demoDriver.plan(aLaunch());
  assert.ok(!isRefusal(plan));
  const { argv, readPaths } = plan;
  const grant = { ...NOTHING, readPaths: [workspace, ...readPaths], writePaths: [workspace] };
  const told = await startProcess(await theSandbox(), {
    argv,
    cwd: workspace,
    grant,
    stdin: '@demo write a.txt hello',
  });
  assert.deepEqual(await told.end().then((end) => end.kind === 'exited' && end.exitCode), 0, told.text('stderr'));
  assert.equal(readFileSync(join(workspace, 'a.txt'), 'utf8'), 'hello\n');
  assert.equal(told.text('stderr'), '');
});

test('a check that the agent turned into a link shows nothing of another project', options, async () => {
  const folder = scratchFolder();
  const [workspace, other] = [join(folder, 'workspace'), join(folder, 'other')];
  for (const each of [workspace, join(other, 'bin')]) mkdirSync(each, { recursive: true });
  writeFileSync(join(other, 'package.json'), '{}');
  writeFileSync(join(other, 'secret.txt'), 'of another project\n');
  writeFileSync(join(other, 'bin/check'), `#!/bin/sh\ncat ${other}/secret.txt\n`, { mode: 0o755 });
  symlinkSync(join(other, 'bin/check'), join(workspace, 'before'));
  const startedAt = lstatSync(join(workspace, 'before')).ctimeMs + 1;
  while (Date.now() <= startedAt + 20) await new Promise((resolve) => setImmediate(resolve));
  symlinkSync(join(other, 'bin/check'), join(workspace, 'check'));
  symlinkSync('check', join(workspace, 'twice'));
  symlinkSync(other, join(workspace, 'folder'));
  symlinkSync('/usr/bin/env', join(workspace, 'env'));
  writeFileSync(join(workspace, 'own'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  symlinkSync('own', join(workspace, 'inside'));
  const attacks = [
    './check',
    './twice',
    'sh check',
    'folder/bin/check',
    'cat folder/secret.txt',
    'env X=folder/secret.txt true',
  ];
  for (const command of attacks) {
    const made = await check(workspace, command, 'exit-code-0', startedAt);
    assert.equal(made.result, 'could-not-run', command);
    assert.match(made.reason ?? '', /points outside of the workspace/);
    assert.equal(made.stdoutTail, '');
  }
  for (const command of ['./before', './env true', './inside', './own', 'cat own']) {
    const made = await check(workspace, command, 'exit-code-0', startedAt);
    assert.doesNotMatch(made.reason ?? '', /points outside/, command);
  }
});
