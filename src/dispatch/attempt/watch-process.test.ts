import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { aLaunch, fixtureAgent } from '../../../test/support/agent/a-launch.ts';
import { type WatchedAgent, watchAgent } from '../../../test/support/agent/watch-agent.ts';
import { anOrder } from '../../../test/support/order/an-order.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestTimer } from '../../../test/support/test-timer.ts';
import { listenOnly } from '../../agents/agent-driver.ts';
import { processDriver } from '../../agents/drivers/process/process-driver.ts';
import type { Order } from '../../domain/order/order.ts';
import { type ExecutionPolicy, POLICY_DEFAULTS } from '../../domain/order/policy.ts';
import { warningText } from '../../domain/order/warning.ts';

const BEAT = { enabled: true, intervalSeconds: 20, missedBeatsMax: 3, onFailure: 'abort' } as const;

interface Scene {
  readonly clock: TestClock;
  readonly timer: TestTimer;
  readonly run: WatchedAgent;
  /** Advances the clock and runs the timers that are due. */
  pass(seconds: number): Promise<void>;
}

async function watching(
  t: TestContext,
  behaviour: string,
  {
    policy = {},
    budget,
    spentBefore,
  }: {
    policy?: Partial<ExecutionPolicy>;
    budget?: Order['budget'];
    spentBefore?: { costUsd: number; tokens: number };
  } = {},
): Promise<Scene> {
  const workspace = mkdtempSync(join(tmpdir(), 'baton-watch-'));
  const clock = new TestClock();
  const timer = new TestTimer();
  const order = anOrder({
    workspaceRoot: workspace,
    policy: { ...POLICY_DEFAULTS, ...policy },
    ...(budget ? { budget } : {}),
  });
  const request = aLaunch({ order, agent: fixtureAgent(behaviour) });
  const run = await watchAgent(processDriver, request, { clock, timer, ...(spentBefore ? { spentBefore } : {}) });
  t.after(async () => {
    run.process.kill();
    await run.ended;
    rmSync(workspace, { recursive: true });
  });
  const pass = async (seconds: number) => {
    clock.step(seconds * 1_000);
    timer.fire();
    await timer.breathe();
    await timer.breathe();
  };
  return { clock, timer, run, pass };
}

test('a run that ends by itself reports its last claim and its progress', async (t) => {
  const { run, timer } = await watching(t, 'completes');
  const end = await run.ended;
  assert.equal(end.exit.kind === 'exited' && end.exit.exitCode, 0);
  assert.equal(end.cause, null);
  assert.equal(end.claim?.result, 'done');
  assert.equal(end.progress?.percentage, 60);
  assert.deepEqual([end.malformed, end.warnings, timer.waits], [null, [], []]);
});

test('the last of several claims counts', async (t) => {
  const { run } = await watching(t, 'answers-twice');
  const { claim } = await run.ended;
  assert.equal(claim?.result, 'done');
});

test('a run is ended at its timeout and not before', async (t) => {
  const { run, pass } = await watching(t, 'never-answers', { policy: { timeoutSeconds: 7_200 } });
  await run.heard('output');
  await pass(3_600);
  await pass(3_599);
  assert.equal(run.stops, 0);
  await pass(1);
  const { cause, exit, claim } = await run.ended;
  assert.deepEqual([cause, claim], ['timeout', null]);
  assert.equal(exit.kind === 'exited' && exit.signal, 'SIGTERM');
});

test('a run is ended at its timeout by the system clock too', async (t) => {
  const workspace = mkdtempSync(join(tmpdir(), 'baton-watch-'));
  t.after(() => rmSync(workspace, { recursive: true }));
  const order = anOrder({ workspaceRoot: workspace, policy: { ...POLICY_DEFAULTS, timeoutSeconds: 1 } });
  const run = await watchAgent(processDriver, aLaunch({ order, agent: fixtureAgent('never-answers') }));
  const { cause, exit } = await run.ended;
  assert.equal(cause, 'timeout');
  assert.ok(exit.kind === 'exited' && exit.durationMs >= 950 && exit.durationMs < 2_000, JSON.stringify(exit));
});

test('without auto_terminate_on_timeout a run continues, with one warning', async (t) => {
  const { run, pass } = await watching(t, 'never-answers', {
    policy: { timeoutSeconds: 60, autoTerminateOnTimeout: false },
  });
  await run.heard('output');
  await pass(60);
  await pass(60);
  assert.deepEqual(
    run.notices.map(({ code }) => code),
    ['E_TIMEOUT'],
  );
  run.stop();
  const { cause, warnings } = await run.ended;
  assert.deepEqual(
    [cause, warnings.map(warningText)],
    ['stop', ['E_TIMEOUT: it has run longer than 60 s; it may continue']],
  );
});

test('an agent that never prints anything is ended', async (t) => {
  const { run, pass } = await watching(t, 'silent', { policy: { heartbeat: BEAT } });
  await pass(59);
  assert.equal(run.stops, 0);
  await pass(1);
  assert.equal((await run.ended).cause, 'heartbeat');
});

test('a line, or a beat over HTTP, restarts the count of silence', async (t) => {
  const { run, clock, pass } = await watching(t, 'never-answers', { policy: { heartbeat: BEAT } });
  await run.heard('output');
  clock.step(50_000);
  run.watch.receive({ kind: 'beat' });
  await pass(10);
  await pass(40);
  void run.watch.line({ stream: 'stdout', text: 'at work', isTruncated: false });
  await pass(10);
  await pass(49);
  assert.equal(run.stops, 0);
  await pass(1);
  assert.equal((await run.ended).cause, 'heartbeat');
});

test('WARN warns once per silence, CONTINUE never', async (t) => {
  const heartbeat = { ...BEAT, onFailure: 'warn' } as const;
  const { run, timer, pass } = await watching(t, 'never-answers', { policy: { heartbeat } });
  await run.heard('output');
  await pass(60);
  await pass(60);
  run.watch.receive({ kind: 'beat' });
  assert.deepEqual(timer.waits, [60_000]);
  await pass(60);
  run.stop();
  const { warnings } = await run.ended;
  assert.deepEqual(warnings.map(warningText), Array(2).fill('E_HEARTBEAT_FAILURE: no output or heartbeat for 60 s'));
  const quiet = await watching(t, 'silent', { policy: { heartbeat: { ...BEAT, onFailure: 'continue' } } });
  await quiet.pass(600);
  quiet.run.stop();
  assert.deepEqual((await quiet.run.ended).warnings, []);
});

test('time in which Baton itself was suspended is no silence', async (t) => {
  const { run, pass } = await watching(t, 'never-answers', { policy: { heartbeat: BEAT } });
  await run.heard('output');
  await pass(600);
  assert.equal(run.stops, 0);
  await pass(60);
  assert.equal((await run.ended).cause, 'heartbeat');
});

test('a wall clock that is set forward by a day ends nothing', async (t) => {
  const { run, clock, pass } = await watching(t, 'never-answers', { policy: { timeoutSeconds: 60, heartbeat: BEAT } });
  await run.heard('output');
  clock.jumpWall(86_400_000);
  await pass(1);
  assert.equal(run.stops, 0);
});

test('a cost over the budget ends a running process', async (t) => {
  const budget = { costUsdMax: 10, tokensMax: null };
  const spentBefore = { costUsd: 0.6, tokens: 0 };
  const { run } = await watching(t, 'spends-and-stays', { budget, spentBefore });
  const { cause, spend } = await run.ended;
  assert.equal(cause, 'budget');
  assert.deepEqual(spend, { costUsd: 9.5, tokens: 9_500, tokensInput: 9_000, tokensOutput: 500, tier: null });
});

test('a run that ends by itself over its budget has exceeded it, one exactly at its budget has not', async (t) => {
  const over = await watching(t, 'reports-cost', { budget: { costUsdMax: 0.17, tokensMax: null } });
  assert.equal((await over.run.ended).cause, 'budget');
  const within = await watching(t, 'reports-cost', { budget: { costUsdMax: 0.18, tokensMax: null } });
  const { cause, spend } = await within.run.ended;
  assert.deepEqual([cause, spend.costUsd, spend.tier], [null, 0.18, 'standard']);
});

test('a cost in the last signal counts', async (t) => {
  const workspace = mkdtempSync(join(tmpdir(), 'baton-watch-'));
  t.after(() => rmSync(workspace, { recursive: true }));
  const spend = { kind: 'usage', costUsd: 1.5, tokensInput: 0, tokensOutput: 0, tier: null } as const;
  const reader = { line: () => [], end: () => [spend] };
  const order = anOrder({ workspaceRoot: workspace, budget: { costUsdMax: 1, tokensMax: null } });
  const run = await watchAgent({ ...processDriver, converse: () => listenOnly(reader) }, aLaunch({ order }));
  assert.equal((await run.ended).cause, 'budget');
});

test('a figure that a later signal does not report keeps its value', async (t) => {
  const workspace = mkdtempSync(join(tmpdir(), 'baton-watch-'));
  t.after(() => rmSync(workspace, { recursive: true }));
  const first = { kind: 'usage', costUsd: 1.5, tokensInput: 10, tokensOutput: null, tier: 'standard' } as const;
  const second = { kind: 'usage', costUsd: null, tokensInput: 20, tokensOutput: 5, tier: null } as const;
  const reader = { line: () => [], end: () => [first, second] };
  const order = anOrder({ workspaceRoot: workspace });
  const run = await watchAgent({ ...processDriver, converse: () => listenOnly(reader) }, aLaunch({ order }));
  const { spend } = await run.ended;
  assert.deepEqual(spend, { costUsd: 1.5, tokens: 25, tokensInput: 20, tokensOutput: 5, tier: 'standard' });
});

const SPARING = { kind: 'stop', by: 'dispatcher', sparesAnswer: true } as const;

test('a stop that spares answers lets an agent that has answered end by itself, for a while', async (t) => {
  const { run, pass } = await watching(t, 'answers-and-stays');
  await run.heard('usage');
  run.stop(SPARING);
  assert.equal(run.stops, 0);
  await pass(4);
  assert.equal(run.stops, 0);
  await pass(1);
  const { cause, exit, claim } = await run.ended;
  assert.deepEqual([cause, exit.kind === 'exited' && exit.exitCode, claim?.result], [null, 0, 'done']);
});

test('an agent that was spared is ended by the stop that follows', async (t) => {
  const { run } = await watching(t, 'answers-and-stays');
  await run.heard('usage');
  run.stop(SPARING);
  assert.equal(run.stops, 0);
  run.stop();
  assert.equal((await run.ended).cause, 'stop');
});

test('a stop that spares answers ends an agent that goes on to spend after its answer', async (t) => {
  const { run } = await watching(t, 'answers-and-stays');
  await run.heard('usage');
  run.stop(SPARING);
  run.watch.receive({ kind: 'usage', costUsd: 2, tokensInput: null, tokensOutput: null, tier: null });
  assert.equal((await run.ended).cause, 'stop');
});

test('a stop that spares answers ends an agent that has not answered', async (t) => {
  const { run } = await watching(t, 'spends-and-stays');
  await run.heard('usage');
  run.stop(SPARING);
  assert.equal((await run.ended).cause, 'stop');
});

test('a stop that was requested before the start ends it at once', async (t) => {
  const { run } = await watching(t, 'ignores-sigterm');
  run.stop();
  const { cause, exit } = await run.ended;
  assert.equal(cause, 'stop');
  assert.ok(exit.kind === 'exited' && exit.signal !== null);
});

test('no later claim makes up for a malformed one', async (t) => {
  const { run } = await watching(t, 'answers-wrong-then-right');
  const { malformed, claim } = await run.ended;
  assert.equal(malformed?.path, '/session_id');
  assert.equal(claim?.result, 'done');
});

test('a program that cannot be started has an end too', async (t) => {
  const workspace = mkdtempSync(join(tmpdir(), 'baton-watch-'));
  t.after(() => rmSync(workspace, { recursive: true }));
  const agent = { ...fixtureAgent('completes'), command: ['no-such-program-at-all'] };
  const run = await watchAgent(processDriver, aLaunch({ agent, workspace }));
  const { exit, cause } = await run.ended;
  assert.deepEqual([exit.kind, cause], ['not-started', null]);
});

test('an error of a callback ends the run, and is thrown', async (t) => {
  const workspace = mkdtempSync(join(tmpdir(), 'baton-watch-'));
  t.after(() => rmSync(workspace, { recursive: true }));
  const reader = { line: () => assert.fail('a fault of the reader'), end: () => [] };
  const run = await watchAgent(
    { ...processDriver, converse: () => listenOnly(reader) },
    aLaunch({ agent: fixtureAgent('never-answers'), workspace }),
  );
  await assert.rejects(run.ended, /a fault of the reader/);
});
