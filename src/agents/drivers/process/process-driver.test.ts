import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { aLaunch, fixtureAgent } from '../../../../test/support/agent/a-launch.ts';
import { type WatchedAgent, watchAgent } from '../../../../test/support/agent/watch-agent.ts';
import type { AgentSignal } from '../../../domain/agent/agent-signal.ts';
import { isRefusal } from '../../../domain/refusal.ts';
import { readProcess } from '../../process/process-table.ts';
import { processDriver } from './process-driver.ts';

async function started(t: TestContext, behaviour: string): Promise<WatchedAgent & { readonly workspace: string }> {
  const workspace = mkdtempSync(join(tmpdir(), 'baton-process-'));
  const run = await watchAgent(processDriver, aLaunch({ agent: fixtureAgent(behaviour), workspace }));
  t.after(async () => {
    run.process.kill();
    await run.ended;
    rmSync(workspace, { recursive: true });
  });
  return Object.assign(run, { workspace });
}

interface ExpectedReply {
  /** Exit code, or the signal that ended it. */
  readonly exit: number | string;
  readonly result: string | null;
  /** The JSON Pointer of a malformed claim. */
  readonly malformed: string | null;
}

const ENDS: Readonly<Record<string, ExpectedReply>> = {
  'says-nothing': { exit: 0, result: null, malformed: null },
  crashes: { exit: 3, result: null, malformed: null },
  'dies-after-report': { exit: 'SIGKILL', result: 'done', malformed: null },
  'claims-success-exits-1': { exit: 1, result: 'done', malformed: null },
  'speaks-garbage': { exit: 0, result: 'done', malformed: null },
  'prints-pretty-response': { exit: 0, result: 'done', malformed: null },
  'answers-twice': { exit: 0, result: 'done', malformed: null },
  'half-utf8': { exit: 0, result: 'done', malformed: null },
  'wrong-ids': { exit: 0, result: null, malformed: '/task_id' },
  'wrong-shape': { exit: 0, result: null, malformed: '/agent' },
  'truncated-response': { exit: 0, result: null, malformed: '' },
  'oversized-response': { exit: 0, result: null, malformed: '' },
  'closes-stdin': { exit: 0, result: null, malformed: null },
  'fails-twice': { exit: 1, result: null, malformed: null },
};

for (const [behaviour, expected] of Object.entries(ENDS)) {
  test(`an agent that ${behaviour.replaceAll('-', ' ')} is reported as it behaved`, async (t) => {
    const { exit, claim, malformed } = await (await started(t, behaviour)).ended;
    assert.ok(exit.kind === 'exited');
    assert.deepEqual(
      {
        exit: exit.exitCode ?? exit.signal,
        result: claim?.result ?? null,
        malformed: malformed?.path ?? null,
      },
      expected,
    );
  });
}

test('a character that was cut between two writes is whole, one that never ends is not', async (t) => {
  const run = await started(t, 'half-utf8');
  const { claim } = await run.ended;
  assert.equal(claim?.message, 'é');
  assert.deepEqual(run.signals[0], { kind: 'output', stream: 'stdout', text: 'h\ufffd' });
});

test('turns and AOF/1 lines are reported in the order they were printed', async (t) => {
  const run = await started(t, 'speaks-turns');
  await run.ended;
  assert.deepEqual(kinds(run.signals), ['message', 'message', 'claim']);
});

test('heartbeats are reported as they come, with the progress of the agent', async (t) => {
  const run = await started(t, 'heartbeats');
  const { progress } = await run.ended;
  assert.deepEqual(kinds(run.signals), [...Array<string>(10).fill('progress'), 'claim']);
  assert.equal(progress?.percentage, 100);
});

test('an agent that leaves a program behind ends by itself, and the program ends with it', async (t) => {
  const run = await started(t, 'forks-a-daemon');
  const { exit, claim } = await run.ended;
  assert.ok(exit.kind === 'exited' && exit.durationMs < 5_000);
  assert.equal(claim?.result, 'done');
  const pid = Number(readFileSync(join(run.workspace, 'daemon.pid'), 'utf8'));
  assert.equal(readProcess(pid), null);
});

test('an agent that ignores SIGTERM is killed', async (t) => {
  const run = await started(t, 'ignores-sigterm');
  await run.heard('output');
  run.stop();
  const { exit, cause } = await run.ended;
  assert.deepEqual([cause, exit.kind === 'exited' && exit.signal], ['stop', 'SIGKILL']);
});

test('a lot of output is read completely, its longest line truncated', async (t) => {
  const run = await started(t, 'floods-output');
  const { claim } = await run.ended;
  assert.equal(claim?.result, 'done');
  const lines = run.signals.filter((signal) => signal.kind === 'output');
  assert.equal(lines.length, 1 + 320_000);
  assert.match(lines[0]?.text ?? '', /\[truncated: 32000000 bytes\]$/);
});

test('an agent without a command is refused', () => {
  const refusal = processDriver.plan(aLaunch({ agent: { ...fixtureAgent('completes'), command: null } }));
  assert.ok(isRefusal(refusal) && refusal.code === 'E_AGENT_NOT_FOUND');
});

test('a program is told the profile of its order, and whether it is headless', () => {
  const env = (changes: Parameters<typeof aLaunch>[0]) => {
    const found = processDriver.plan(aLaunch(changes));
    assert.ok(!isRefusal(found));
    return found.env;
  };
  const [profile, headless] = ['BATON_EXECUTION_PROFILE', 'BATON_HEADLESS_MODE'];
  assert.deepEqual(env({ profile: 'fast', isHeadless: false }), { [profile]: 'fast', [headless]: 'false' });
  assert.deepEqual(env({ profile: null, isHeadless: true }), { [headless]: 'true' });
});

test('a program that is asked for feedback gets the request as its input, and its session as an argument', () => {
  const agent = fixtureAgent('completes');
  const request = '{"protocol_version":"1.2","iteration":2}';
  const planned = (resume: string | null) => {
    const prompt = { words: 'Review it.', ordered: null, message: { protocol: 'afp', text: request } };
    const found = processDriver.plan(aLaunch({ agent, prompt, resume }));
    assert.ok(!isRefusal(found));
    return [found.argv, found.stdin];
  };
  assert.deepEqual(planned(null), [agent.command, request]);
  assert.deepEqual(planned('ses_1'), [[...(agent.command ?? []), '--session', 'ses_1'], request]);
});

test('of a program above the workspace the sandbox shows its own files only', () => {
  const plan = (agent: { command: string[]; ownPaths: string[] }) => {
    const found = processDriver.plan(
      aLaunch({ agent: { ...fixtureAgent('completes'), ...agent }, workspace: '/home/me/ws' }),
    );
    assert.ok(!isRefusal(found));
    return found.readPaths;
  };
  assert.deepEqual(plan({ command: ['node', '/home/me/ws/agent.mjs', 'src'], ownPaths: ['/home/me/ws'] }), [
    '/home/me/ws/agent.mjs',
  ]);
  assert.deepEqual(plan({ command: ['node', '/home/me/tools/a.mjs'], ownPaths: ['/home/me/tools'] }), [
    '/home/me/tools',
  ]);
});

function kinds(signals: readonly AgentSignal[]): string[] {
  return signals.map(({ kind }) => kind);
}
