import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aGrant, fixtureAgent } from '../../../test/support/agent/a-launch.ts';
import { TaskLife } from '../../../test/support/task/task-life.ts';
import { scratchFolder } from '../../../test/support/test-process.ts';
import { type AgentDriver, listenOnly } from '../../agents/agent-driver.ts';
import { processDriver } from '../../agents/drivers/process/process-driver.ts';
import { OpenSandbox } from '../../agents/sandbox/open/open-sandbox.ts';
import type { AgentSignal } from '../../domain/agent/agent-signal.ts';
import { RUN_NOTE_CHARACTERS_MAX } from '../../domain/limits.ts';
import { POLICY_DEFAULTS } from '../../domain/order/policy.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import type { TaskName } from '../../domain/task/task.ts';
import { AgentMailbox } from '../../federation/messages/agent-mail.ts';
import { selectEvents } from '../../ledger/statements/events.ts';
import { systemClock } from '../../platform/clock.ts';
import { silentLogger } from '../../platform/logger.ts';
import { systemTimer } from '../../platform/timer.ts';
import { OverlapRadar } from '../../work/overlap-radar.ts';
import type { AttemptWorld, BoundedLaunch, EndedFact } from './attempt.ts';
import { ProgressGates } from './progress-gates.ts';
import { RunActivities } from './run-activities.ts';
import { readRawLog, readRunLog } from './run-log.ts';
import { startAttempt } from './start-attempt.ts';

interface EndedAttempt {
  readonly fact: EndedFact;
  /** The lines of the program. */
  readonly raw: string;
  /** The log of the task, without the line that names the run. */
  readonly log: readonly string[];
  readonly events: readonly { readonly type: string; readonly [field: string]: unknown }[];
  readonly turns: readonly unknown[];
  readonly received: readonly string[];
}

interface Scene {
  readonly behaviour: string;
  readonly words: string;
  readonly driver?: AgentDriver;
  onStart?(stop: AbortController): void;
}

const SECONDS = { timeoutSeconds: 30, spentBefore: { costUsd: 0, tokens: 0 } };

/** Runs a fixture agent to its end with nothing but words: there is no order. */
async function run({ behaviour, words, driver = processDriver, onStart }: Scene): Promise<EndedAttempt> {
  const life = await TaskLife.open();
  const { id, run: held } = await life.claimed({}, behaviour);
  const received: string[] = [];
  const { world, workspace } = aWorld(life, { driver, received });
  const stop = new AbortController();
  const attempt = await startAttempt(world, {
    ...aRequest(workspace, words),
    agent: fixtureAgent(behaviour),
    run: aRun({ taskId: id, taskUid: 'tsk_1', runId: held.id, agent: behaviour }),
    stop: stop.signal,
  });
  onStart?.(stop);
  const fact = await attempt.ended;
  const events = selectEvents(life.at.ledger.read, 0).filter(({ type }) => /^(run|turn)\./.test(type));
  assert.ok(events.every(({ payload }) => payload.run === held.id));
  return {
    fact,
    log: readRunLog(world.dataFolder, id, { after: 0 }).text.trimEnd().split('\n').slice(1),
    raw: readRawLog(world.dataFolder, id, { after: 0 }).text,
    events: events.map(({ type, payload: { run: _run, ...payload } }) => ({ type, ...payload })),
    turns: turnsOf(life, id),
    received,
  };
}

function aWorld(life: TaskLife, { driver, received }: { driver: AgentDriver; received: string[] }) {
  const workspace = scratchFolder();
  const [clock, timer] = [systemClock(), systemTimer()];
  const world: AttemptWorld = {
    clock,
    timer,
    dataFolder: workspace,
    roster: { drivers: { process: driver } },
    environment: { PATH: process.env['PATH'] },
    ledger: life.at.ledger,
    log: silentLogger,
    sandboxes: { open: new OpenSandbox(), sandbox: async () => assert.fail('no sandbox was asked for') },
    live: {
      progress: new ProgressGates(clock, timer),
      activities: new RunActivities(clock),
      overlaps: new OverlapRadar({ ledger: life.at.ledger, log: silentLogger }),
    },
    talk: {
      asking: { whyUnattended: () => null },
      mail: new AgentMailbox(life.at.ledger),
      server: () => null,
      traced: (conversation) => conversation,
      receive: async (text, { holder, by }) =>
        received.push(`${holder.agent} by ${by}: ${text}`) > 0 && text.includes('wrong') ? 'it is wrong' : null,
    },
  };
  return { world, workspace };
}

function aRequest(workspace: string, words: string): Omit<BoundedLaunch<RunHolder>, 'agent' | 'run' | 'stop'> {
  const { timeoutSeconds, spentBefore } = SECONDS;
  return {
    prompt: { words, ordered: null },
    workspace,
    grant: aGrant(workspace),
    isSandboxed: false,
    questionTimeoutMs: 60_000,
    limits: {
      policy: { ...POLICY_DEFAULTS, timeoutSeconds },
      budget: { costUsdMax: 1, tokensMax: null },
      spentBefore,
    },
  };
}

function turnsOf(life: TaskLife, taskId: TaskName): readonly unknown[] {
  const database = life.at.look();
  try {
    const rows = database.prepare('SELECT turn_index, envelope_json FROM agent_logs WHERE task_id = ?').all(taskId);
    return rows.map((row) => [row['turn_index'], row['envelope_json']]);
  } finally {
    database.close();
  }
}

test('an agent without an order gets words, and its turns go to the node as messages', async () => {
  const { fact, log, received } = await run({ behaviour: 'reviews-words', words: 'Review the change.' });
  assert.deepEqual(fact.end, { kind: 'finished', claim: null });
  assert.deepEqual(log, ['asked: Review the change.', 'verdict: approved']);
  assert.equal(received.length, 1);
  assert.match(received[0] ?? '', /by pipe: .*It is small\./);
});

test('the reason of the abort is the end of the run', async () => {
  const stopped = await run({
    behaviour: 'never-answers',
    words: '{}',
    onStart: (stop) => stop.abort({ kind: 'stop', by: 'anna' }),
  });
  assert.deepEqual(stopped.fact.end, { kind: 'stopped', by: 'anna' });
  const lost = await run({ behaviour: 'never-answers', words: '{}', onStart: (stop) => stop.abort({ kind: 'loss' }) });
  assert.deepEqual(lost.fact.end, { kind: 'lost', isCleanStop: true });
});

test('an agent that its driver refuses does not start', async () => {
  const driver = { ...processDriver, plan: () => processDriver.plan(noCommand()) };
  const { fact } = await run({ behaviour: 'completes', words: '', driver });
  assert.ok(fact.end.kind === 'failed' && fact.end.code === 'agent-not-found');
  assert.match(fact.end.message, /it did not start: .* has no command/);
});

function noCommand() {
  const agent = { ...fixtureAgent('completes'), command: null };
  return { ...aRequest('/ws', ''), agent, variables: {}, resume: null };
}

/** Reports the signals that its program prints as JSON. */
const signalDriver: AgentDriver = {
  ...processDriver,
  converse: () => listenOnly({ line: ({ text }) => [JSON.parse(text) as AgentSignal], end: () => [] }),
};

async function signalling(...signals: readonly AgentSignal[]): Promise<EndedAttempt> {
  const words = signals.map((signal) => `${JSON.stringify(signal)}\n`).join('');
  return await run({ behaviour: 'prints-signals', words, driver: signalDriver });
}

const PROGRESS = {
  kind: 'progress',
  phase: null,
  checkpoint: null,
  remainingSeconds: null,
  isForSender: true,
} as const;

test('tool calls, questions, quotas and vendor sessions are events of the run', async () => {
  const long = 'x'.repeat(RUN_NOTE_CHARACTERS_MAX + 1);
  const { events, log } = await signalling(
    { kind: 'vendor-session', id: 's-1', model: 'm-2', version: null },
    { kind: 'tool', state: 'begun', id: 'c1', name: 'edit', input: long },
    { kind: 'tool', state: 'ended', id: 'c1', name: 'edit', result: 'done', isSuccess: true },
    { kind: 'question', id: 'q1', text: 'Which port?', options: ['80', '443'] },
    { kind: 'quota', message: 'no more today', resets: { kind: 'at', wallMs: Date.UTC(2026, 1, 9) }, scope: 'day' },
    { kind: 'quota', message: 'no more', resets: null, scope: null },
  );
  assert.deepEqual(events, [
    { type: 'run.session_opened', id: 's-1', model: 'm-2', version: null },
    { type: 'run.tool_started', call: 'c1', tool: 'edit', input: `${long.slice(1)}…` },
    { type: 'run.tool_ended', call: 'c1', tool: 'edit', isSuccess: true, result: 'done' },
    { type: 'run.question_asked', id: 'q1', text: 'Which port?', options: ['80', '443'] },
    {
      type: 'run.quota_reached',
      message: 'no more today',
      account: null,
      scope: 'day',
      resetsAt: '2026-02-09T00:00:00.000Z',
    },
    { type: 'run.quota_reached', message: 'no more', account: null, scope: null, resetsAt: null },
  ]);
  const expected = [
    '[session s-1, m-2]',
    `[edit: ${long.slice(1)}…]`,
    '[edit done: done]',
    '[asks: Which port?]',
    '[quota reached: no more today]',
    '[quota reached: no more]',
  ];
  assert.deepEqual(log, expected);
});

test('thoughts, words and retries are events of the run; a failure gives its end a code', async () => {
  const { events, log, fact } = await signalling(
    { kind: 'thought', text: 'first\nsecond' },
    { kind: 'words', text: 'hello' },
    { kind: 'retrying', attempt: 1, status: 529, message: 'overloaded' },
    { kind: 'unexpected', message: 'a field is gone' },
    { kind: 'failure', code: 'permission-denied', message: 'log in' },
  );
  assert.deepEqual(events, [
    { type: 'run.thought', text: 'first\nsecond' },
    { type: 'run.spoke', text: 'hello' },
    { type: 'run.retried', attempt: 1, status: 529, message: 'overloaded' },
    { type: 'run.warned', code: null, message: 'a field is gone' },
  ]);
  assert.deepEqual(log, [
    '[thinks] first',
    '[thinks] second',
    'hello',
    '[its model did not answer, try 1: overloaded]',
    '[not understood: a field is gone]',
    '[E_PERMISSION_DENIED: log in]',
  ]);
  assert.deepEqual(fact.end, { kind: 'failed', code: 'permission-denied', message: 'log in', claim: null });
});

test('progress is shown, and without an order nobody is sent any', async () => {
  const { kind: _kind, ...fields } = PROGRESS;
  const shown = { ...fields, isForSender: false, senderTask: null };
  const { events, fact } = await signalling(
    { ...PROGRESS, percentage: null, text: 'reading' },
    { ...PROGRESS, percentage: null, text: 'reading' },
    { ...PROGRESS, percentage: 100, text: 'done' },
  );
  assert.deepEqual(events, [
    { type: 'run.progressed', ...shown, percentage: null, text: 'reading' },
    { type: 'run.progressed', ...shown, percentage: 100, text: 'done' },
  ]);
  assert.equal(fact.progress?.percentage, 100);
});

test('usage counts, the last claim counts, and a malformed one fails the run', async () => {
  const claim = { result: 'done', code: null, message: 'ok', summary: 's', actions: ['a'], text: 't' } as const;
  const usage = { kind: 'usage', tokensInput: 3, tokensOutput: 4, tier: 'fast' } as const;
  const said = await signalling(
    { kind: 'beat' },
    { ...usage, costUsd: 0.5 },
    { ...usage, costUsd: 0.25 },
    { kind: 'claim', claim: { ...claim, result: 'failed' } },
    { kind: 'claim', claim },
  );
  assert.deepEqual(said.fact.end, { kind: 'finished', claim });
  assert.deepEqual(said.fact.spend, { costUsd: 0.25, tokens: 7, tokensInput: 3, tokensOutput: 4, tier: 'fast' });
  const bad = await signalling(
    { kind: 'malformed-claim', message: 'no summary', path: '/s' },
    { kind: 'claim', claim },
  );
  assert.ok(bad.fact.end.kind === 'failed' && bad.fact.end.code === 'malformed-answer');
  assert.deepEqual(bad.log, ['[malformed answer: no summary]']);
  const costly = await signalling({ ...usage, costUsd: 2 });
  assert.ok(costly.fact.end.kind === 'failed' && costly.fact.end.code === 'budget-exceeded');
});

test('a turn is stored once, and a message goes to the node with the run that printed it', async () => {
  const fact = { kind: 'turn', index: 0, role: 'developer', confidence: 1, thought: 't', observation: 'o' } as const;
  const message = { eventId: null, type: 'TURN', envelope: 'one', fact };
  const { turns, events, received, log } = await signalling(
    { kind: 'trace', message },
    { kind: 'trace', message },
    { kind: 'trace', message: { ...message, envelope: 'another' } },
    { kind: 'message', text: 'right' },
    { kind: 'message', text: 'wrong' },
  );
  assert.deepEqual(turns[0], [0, 'one']);
  assert.deepEqual(events[0], { type: 'turn.recorded', turnIndex: 0, confidence: 1 });
  const [, streamed, printed] = (turns as [number, string][]).map(
    ([, text]) => JSON.parse(text === 'one' ? '{}' : text).payload,
  );
  assert.deepEqual([turns.length, events.length, streamed.chunk, printed.line], [3, 1, 't', 'wrong']);
  assert.deepEqual(received, ['prints-signals by pipe: right', 'prints-signals by pipe: wrong']);
  const [wrong, taken, ...others] = [...log].sort();
  assert.deepEqual([wrong, others], ['[not accepted: it is wrong]', ['wrong']]);
  assert.match(taken ?? '', /^\[not accepted: turn 0 of .* was recorded with another content\]$/);
});

function aRun(holder: RunHolder): BoundedLaunch<RunHolder>['run'] {
  return { runId: holder.runId, agent: holder.agent, sessionId: 'S', holder };
}
