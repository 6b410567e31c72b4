import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { identify, isRunning, readProcesses, signalProcess, startedWith } from './process-table.ts';
import { sweepProcesses } from './sweep-processes.ts';

let runs = 0;

/** As a killed node leaves it: in a session of its own, with children, one of which has left it. */
async function abandoned(): Promise<{ runId: string; child: ChildProcess }> {
  runs += 1;
  const runId = `swept-${process.pid}-${runs}`;
  const command = '(setsid sleep 600 &); sleep 600 & env -i sh -c "echo up; exec sleep 600" & wait';
  const env = { PATH: '/usr/bin:/bin', BATON_RUN: runId };
  const child = spawn('/bin/sh', ['-c', command], { detached: true, env, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return { runId, child };
}

function marked(runId: string): number {
  return readProcesses().filter(({ pid }) => startedWith(pid, `BATON_RUN=${runId}`)).length;
}

test('what a killed node left behind is ended, whoever its parent is by now', async () => {
  const { runId, child } = await abandoned();
  const identity = identify(child.pid ?? 0);
  const { ended, left } = await sweepProcesses([{ runId, identity }]);
  assert.deepEqual(left, []);
  // The one without the mark in its environment is found as a child.
  assert.equal(ended.length, 4);
  assert.equal(marked(runId), 0);
});

test('without an identity the run in the environment is enough', async () => {
  const { runId } = await abandoned();
  const { left } = await sweepProcesses([{ runId, identity: null }]);
  assert.deepEqual(left, []);
  assert.equal(marked(runId), 0);
});

test('a process that only has the number, or the boot, of another one is not touched', async () => {
  const bystander = spawn('/bin/sleep', ['600'], { stdio: 'ignore' });
  const identity = identify(bystander.pid ?? 0);
  assert.ok(identity);
  const earlier = { ...identity, startTicks: identity.startTicks - 1 };
  const lastBoot = { ...identity, bootId: 'another' };
  const swept = await sweepProcesses([
    { runId: 'nobody-1', identity: earlier },
    { runId: 'nobody-2', identity: lastBoot },
  ]);
  assert.deepEqual(swept, { ended: [], left: [] });
  assert.equal(signalProcess(earlier, 'SIGKILL'), false);
  assert.equal(signalProcess(lastBoot, 'SIGKILL'), false);
  assert.equal(isRunning(identity), true);
  bystander.kill('SIGKILL');
  await once(bystander, 'exit');
  assert.equal(isRunning(identity), false);
});

test('a node that was started within a run does not end itself', async () => {
  const program = `
    const { sweepProcesses } = await import(${JSON.stringify(`${import.meta.dirname}/sweep-processes.ts`)});
    const { ended } = await sweepProcesses([{ runId: 'within', identity: null }]);
    console.log(ended.length);`;
  const env = { PATH: '/usr/bin:/bin', BATON_RUN: 'within' };
  const node = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], { env });
  const [said] = await once(node.stdout, 'data');
  assert.equal(String(said).trim(), '0');
  const [code] = await once(node, 'exit');
  assert.equal(code, 0);
});
