import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { StatusAnswer } from '../../../src/api/contract.ts';
import type { SayAnswer } from '../../../src/api/review/talk-contract.ts';
import { linesOf, ROOT } from '../../support/run-baton.ts';
import { RunStage, until } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const CLAUDE = { driver: 'claude', command: [process.execPath, join(ROOT, 'test/fixtures/vendors/claude.mjs')] };
const SLOW = { timeout: 120_000, skip: noBubblewrap };
// Its login.
process.env.ANTHROPIC_API_KEY = 'sk-ant-fixture-key-0123456789';

const stage = await RunStage.up('say');
const DEAF = { driver: 'process', command: [process.execPath, '-e', 'setTimeout(() => {}, 4_000)'] };
stage.configure({ agents: { hearer: CLAUDE, deaf: DEAF } });

async function begin(words: string, agent: string): Promise<string> {
  const flags = ['--agent', agent, '--yes', '--detach', '--retries', '0', '--json'];
  const run = await stage.data.run(['run', words, ...flags], { folder: stage.repository().root });
  assert.equal(run.status, 0, run.stderr);
  return linesOf<{ task: { id: string } }>(run)[0]?.task.id ?? assert.fail(run.stdout);
}

async function logOf(task: string): Promise<string> {
  return (await stage.data.run(['logs', task])).stdout;
}

async function isOver(task: string): Promise<boolean> {
  return ['review', 'blocked', 'done'].includes((await stage.task(task)).status);
}

test('words reach an agent that can hear while it works', SLOW, async () => {
  const task = await begin('wait', 'hearer');
  await until(async () => (await logOf(task)).includes('waits for words'));
  const said = await stage.data.json<SayAnswer>('say', task, 'use', 'the', 'helper');
  assert.deepEqual([said.task.id, said.isDelivered, said.isRunning, said.text], [task, true, true, 'use the helper']);
  await until(() => isOver(task));
  const log = await logOf(task);
  assert.match(log, /was told: use the helper/);
  const events = (await stage.data.eventsOf(task)).filter(({ type }) => type.startsWith('words.'));
  assert.deepEqual(
    events.map(({ type, actor, payload, runId }) => [type, actor, payload.text ?? payload.by, runId !== null]),
    [
      ['words.said', 'operator', 'use the helper', true],
      ['words.delivered', 'operator', 'stream', true],
    ],
  );
});

test('an agent that cannot hear is told at its next turn, once', SLOW, async () => {
  const task = await begin('edit a.txt hello', 'hearer');
  await until(() => isOver(task));
  const kept = await stage.data.run(['say', task, 'and mind the tests']);
  assert.equal(kept.status, 0, kept.stderr);
  assert.match(kept.stdout, /^kept for TASK-\S+: it is review, so it will be told at its next turn$/m);
  assert.match(kept.stderr, /^next: baton continue TASK-/m);
  const delivered = async () => (await stage.data.eventsOf(task)).filter(({ type }) => type === 'words.delivered');
  assert.deepEqual(await delivered(), []);
  const run = await stage.data.run(['continue', task, '--yes']);
  assert.match(run.stdout, /and mind the tests/, run.stderr);
  const told = await delivered();
  assert.deepEqual(
    told.map(({ payload }) => payload.by),
    ['prompt'],
  );
});

test('the report of a task says that it ended before it could be told', SLOW, async () => {
  const { root: folder } = stage.repository();
  const running = stage.data.run(['run', 'rest', '--agent', 'deaf', '--yes', '--retries', '0'], { folder });
  await until(async () => (await stage.data.json<StatusAnswer>('status')).running.length === 1);
  const kept = await stage.data.run(['say', '@', 'look at b.txt too'], { folder });
  assert.match(kept.stdout, /its agent cannot be told anything while it works/);
  assert.match((await running).stdout, /it ended before it could be told what you said to it; baton continue tells it/);
});

test('words that nobody will hear are refused', SLOW, async () => {
  const { id } = await stage.data.newTask('over');
  await stage.data.run(['task', 'cancel', id]);
  for (const [words, message] of [
    [[id, 'hello'], /error: TASK-\S+ is cancelled: no agent will work on it again\ntry: baton continue TASK-/],
    [['nosuchtask', 'hello'], /error: there is no task "nosuchtask"/],
    [[id], /error: say: needs something to say/],
    [[], /error: say: needs a task/],
  ] as const) {
    const run = await stage.data.run(['say', ...words]);
    assert.equal(run.status, 2, run.stderr);
    assert.match(run.stderr, message);
  }
});
