import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { aLaunch, fixtureAgent } from '../../../test/support/agent/a-launch.ts';
import { type WatchedAgent, watchAgent } from '../../../test/support/agent/watch-agent.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestTimer } from '../../../test/support/test-timer.ts';
import type { AgentDriver, ConversationInput, Reply } from '../../agents/agent-driver.ts';
import { processDriver } from '../../agents/drivers/process/process-driver.ts';
import type { AgentSignal } from '../../domain/agent/agent-signal.ts';
import { AGENT_LINGER_MS_MAX, MODEL_RETRY_MS_MAX } from '../../domain/process-limits.ts';
import { isRefusal } from '../../domain/refusal.ts';

/** Writes words and answers as lines, and closes stdin after an interrupt. Each printed line has the signals of its word. */
function aDriver(first: string, signals: Readonly<Record<string, readonly AgentSignal[]>> = {}): AgentDriver {
  const hear = (heard: ConversationInput): Reply => {
    switch (heard.kind) {
      case 'line': {
        const { stream, text } = heard.line;
        return { signals: signals[text] ?? [{ kind: 'output', stream, text }], write: null, isLast: false };
      }
      case 'words':
        return { signals: [], write: `${heard.text}\n`, isLast: false };
      case 'answer':
        return { signals: [], write: `${heard.question} ${heard.option}\n`, isLast: false };
      case 'interrupt':
        return { signals: [], write: 'leave\n', isLast: true };
    }
  };
  return {
    ...processDriver,
    plan(request) {
      const plan = processDriver.plan(request);
      return isRefusal(plan) ? plan : { ...plan, stdin: `${first}\n`, keepsStdinOpen: true };
    },
    converse: () => ({ hear, end: () => [] }),
  };
}

interface Scene {
  readonly run: WatchedAgent;
  readonly clock: TestClock;
  readonly timer: TestTimer;
  printed(text: string): Promise<void>;
}

async function talking(t: TestContext, driver: AgentDriver): Promise<Scene> {
  const workspace = mkdtempSync(join(tmpdir(), 'baton-talk-'));
  const clock = new TestClock();
  const timer = new TestTimer();
  const run = await watchAgent(driver, aLaunch({ agent: fixtureAgent('converses'), workspace }), { clock, timer });
  t.after(async () => {
    run.process.kill();
    await run.ended;
    rmSync(workspace, { recursive: true });
  });
  const printed = async (text: string) => {
    while (!run.signals.some((signal) => signal.kind === 'output' && signal.text === text))
      await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { run, clock, timer, printed };
}

test('words and answers reach a running agent, in order', async (t) => {
  const { run, printed } = await talking(t, aDriver('first'));
  await printed('heard first');
  assert.equal(run.watch.tell({ kind: 'words', text: 'second' }), true);
  assert.equal(run.watch.tell({ kind: 'answer', question: 'q1', option: 'yes' }), true);
  await printed('heard q1 yes');
  assert.deepEqual(
    run.signals.map((signal) => (signal.kind === 'output' ? signal.text : signal.kind)),
    ['heard first', 'heard second', 'heard q1 yes'],
  );
});

test('an agent that is to stop is told first, and ends by itself', async (t) => {
  const { run, printed } = await talking(t, aDriver('first'));
  await printed('heard first');
  run.stop();
  const { cause, exit } = await run.ended;
  assert.deepEqual([cause, exit.kind === 'exited' && exit.exitCode], ['stop', 0]);
  await printed('heard leave');
});

test('an agent that does not leave off when it is told is ended', async (t) => {
  const { run, timer, printed } = await talking(t, aDriver('stay'));
  await printed('heard stay');
  run.stop();
  await printed('heard leave');
  timer.fire();
  const { cause, exit } = await run.ended;
  assert.deepEqual([cause, exit.kind === 'exited' && exit.signal], ['stop', 'SIGTERM']);
});

test('nothing can be told to a process that has ended', async (t) => {
  const { run } = await talking(t, aDriver('leave'));
  await run.ended;
  assert.equal(run.watch.tell({ kind: 'words', text: 'late' }), false);
});

test('a process that stays after its work is over is ended, and its exit counts as clean', async (t) => {
  const { run, clock, timer } = await talking(t, aDriver('stay', { 'heard stay': [{ kind: 'finished' }] }));
  await run.heard('finished');
  clock.step(AGENT_LINGER_MS_MAX);
  timer.fire();
  const { cause, exit } = await run.ended;
  assert.deepEqual([cause, exit.kind === 'exited' && [exit.exitCode, exit.signal]], [null, [0, null]]);
});

test('a failure that the agent reports ends it and is kept', async (t) => {
  const failure = { kind: 'failure', code: 'permission-denied', message: 'log in' } as const;
  const { run } = await talking(t, aDriver('first', { 'heard first': [failure] }));
  const end = await run.ended;
  assert.deepEqual([end.cause, end.failure], ['failure', failure]);
});

test('a model that does not answer for a minute is unavailable; an answer starts the minute anew', async (t) => {
  const retrying = { kind: 'retrying', attempt: 1, status: 529, message: 'overloaded' } as const;
  const signals = { 'heard a': [retrying], 'heard b': [{ kind: 'words', text: 'hello' }, retrying] } as const;
  const { run, clock, timer } = await talking(t, aDriver('a', signals));
  await run.heard('retrying');
  clock.step(MODEL_RETRY_MS_MAX - 1);
  run.watch.tell({ kind: 'words', text: 'b' });
  await run.heard('words');
  clock.step(MODEL_RETRY_MS_MAX - 1);
  timer.fire();
  await timer.breathe();
  assert.equal(run.stops, 0);
  clock.step(1);
  timer.fire();
  const { cause, failure } = await run.ended;
  assert.equal(cause, 'unavailable');
  assert.deepEqual(
    [failure?.code, failure?.message],
    ['model-unavailable', 'its model did not answer for 60 s: overloaded'],
  );
});
